import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { isInstalled } from "./builds.ts";
import { freshFolder } from "./store.ts";

interface Wrapped {
  /** The program's command line for a configuration that includes the one of `serve proxy`. */
  command: (configuration: string, folder: string) => string[];
  /** The same for looking at the configuration only. */
  check: (configuration: string, folder: string) => string[];
  /** The file around the one of `serve proxy`, which is the whole of a usual installation but for its folders. */
  around: (included: string, folder: string) => string;
}

const apacheModules = [
  ...["mpm_event", "authz_core", "headers", "ssl", "http2", "proxy", "proxy_http", "reqtimeout"],
  ...["slotmem_shm", "proxy_balancer", "lbmethod_byrequests"],
];

const wrappers: Readonly<Record<string, Wrapped>> = {
  nginx: {
    command: (file, folder) => ["nginx", "-p", folder, "-c", file, "-e", join(folder, "error.log")],
    check: (file, folder) => ["nginx", "-t", "-p", folder, "-c", file, "-e", join(folder, "error.log")],
    around: (included, folder) => `daemon off;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ")}
  include ${included};
}
`,
  },
  caddy: {
    command: (file) => ["caddy", "run", "--adapter", "caddyfile", "--config", file],
    check: (file) => ["caddy", "validate", "--adapter", "caddyfile", "--config", file],
    around: (included) => `{
  admin off
  auto_https disable_redirects
}
import ${included}
`,
  },
  apache: {
    command: (file) => ["apache2", "-D", "FOREGROUND", "-f", file],
    check: (file) => ["apache2", "-t", "-f", file],
    around: (included, folder) => `ServerRoot ${folder}
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
ServerName localhost
${apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
Include ${included}
`,
  },
};

const programs: Readonly<Record<string, string>> = { nginx: "nginx", caddy: "caddy", apache: "apache2" };

/** The proxies of this machine that run what `serve proxy` prints. */
export const installedProxies = () => Object.keys(wrappers).filter((kind) => isInstalled(programs[kind]!));

const running = new Set<ChildProcess>();

/** Writes the files of an installation whose site is what `serve proxy` printed. */
function wrap(kind: string, configuration: string, folder: string) {
  mkdirSync(folder, { recursive: true });
  const included = join(folder, "playtest.conf");
  writeFileSync(included, configuration);
  const file = join(folder, "main.conf");
  writeFileSync(file, wrappers[kind]!.around(included, folder));
  return { file, folder };
}

/** What the proxy says against a configuration; undefined where it takes it. */
export function refusalOf(kind: string, configuration: string): string | undefined {
  const { file, folder } = wrap(kind, configuration, freshFolder());
  const [command, ...args] = wrappers[kind]!.check(file, folder);
  const { status, stdout, stderr } = spawnSync(command!, args, { encoding: "utf8", env: { ...process.env, HOME: folder } });
  return status === 0 ? undefined : stdout + stderr;
}

/** Runs a proxy with what `serve proxy` printed for it, until the test ends. Resolves with its process when it listens on the port. */
export async function startProxy(kind: string, configuration: string, port: number, into: string): Promise<ChildProcess> {
  const { file, folder } = wrap(kind, configuration, into);
  const [command, ...args] = wrappers[kind]!.command(file, folder);
  const child = spawn(command!, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: folder, USER: "root" },
  });
  running.add(child);
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    throw new Error(`${command} ended with ${code}: ${said}`);
  });
  ended.catch(() => {});
  while (!(await Promise.race([listens(port), ended])));
  return child;
}

/** Whether something accepts connections on a port of this machine. */
async function listens(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

export async function stopProxies(): Promise<void> {
  for (const child of running) {
    child.kill("SIGTERM");
    await once(child, "close");
  }
}
