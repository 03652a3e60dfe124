import { execFile } from "node:child_process";
import { ConfigError } from "../config/read.ts";
import type { Log } from "../lib/log.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The first file descriptor that systemd passes on (sd_listen_fds(3)). */
const firstFd = 3;

/**
 * The file descriptor of the socket that systemd has opened for this process; undefined without one. The socket stays open while the
 * server restarts, and connections wait in it. Throws ConfigError for several.
 */
export function passedSocket({ LISTEN_FDS, LISTEN_PID }: Env, pid: number): number | undefined {
  if (LISTEN_FDS === undefined || LISTEN_PID !== `${pid}`) return undefined;
  if (LISTEN_FDS === "1") return firstFd;
  throw new ConfigError(
    `systemd passes ${LISTEN_FDS} sockets, and the server listens on one. The server was not started. Leave one ListenStream= line in the socket unit.`,
  );
}

/** What a service says to systemd (sd_notify(3)). */
export interface ServiceManager {
  /** From now on the service counts as started, and must show that it is alive if the unit asks for that. */
  ready(): void;
  stopping(): void;
}

/** Says it through the program `systemd-notify`, because Node.js cannot write to such a socket. Says nothing outside of systemd. */
export function serviceManager({ NOTIFY_SOCKET, WATCHDOG_USEC, PATH }: Env, log: Log): ServiceManager {
  if (NOTIFY_SOCKET === undefined) return { ready() {}, stopping() {} };
  let failing = false;
  const say = (state: string) =>
    void execFile("systemd-notify", [state], { env: { NOTIFY_SOCKET, PATH } }, (err) => {
      if (err && !failing) log.error({ err, state }, "systemd could not be told the state of the server");
      failing = err !== null;
    });
  let watchdog: NodeJS.Timeout | undefined;
  return {
    ready: () => {
      say("READY=1");
      // Half the time that it may take, as the manual advises.
      const everyMs = Number(WATCHDOG_USEC ?? 0) / 1000 / 2;
      if (everyMs > 0) watchdog = setInterval(() => say("WATCHDOG=1"), everyMs).unref();
    },
    stopping: () => {
      clearInterval(watchdog);
      say("STOPPING=1");
    },
  };
}
