import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { openStore } from "../../server/database/open.ts";
import type { Query, Store } from "../../server/database/port.ts";
import { checkLedger } from "../../server/ledger/checks.ts";
import { cheapPasswords, readyFile, spawnPlaytest } from "./process.ts";
import { type Node, nodeAt, startTestServer } from "./server.ts";
import { type DatabaseLocation, drivers, freshFolder, sqlite } from "./store.ts";

interface Row {
  table: "slots" | "users";
  id: string;
}

/** The servers of one marketplace. */
export interface Cluster {
  nodes: readonly Node[];
  read<T>(fn: (q: Query) => Promise<T>): Promise<T>;
  /**
   * Makes requests meet at a row: what they read of it is from before any of them changed it, and they change it in this order.
   * On SQLite, where one write follows the other, they are just sent at once.
   */
  meetAt<T>(row: Row, requests: readonly (() => Promise<T>)[]): Promise<T[]>;
  /** Also says what went wrong on the way. */
  close(): Promise<void>;
}

/** Faults of the ledger, as `serve doctor --ledger` finds it. */
export const ledgerDamage = async (cluster: Cluster) => (await cluster.read(checkLedger)).filter((check) => !check.ok);

/** How many slots a playtester can hold. */
export const maxReserved = 100;

/** Two processes as `playtest serve run --sandbox` starts them, at once, on a PostgreSQL database and folder of their own. */
export async function twoProcesses(): Promise<Cluster> {
  const location = await drivers.find(({ name }) => name === "postgres")!.location();
  const folder = freshFolder();
  writeFileSync(join(folder, "config.json"), JSON.stringify({ playtesters: { maxReserved }, passwords: cheapPasswords }));
  const started = await Promise.all([0, 1].map(() => startProcess(folder, location)));
  const store = await openStore(location.unrestricted);
  return {
    nodes: started.map(({ node }) => node),
    read: (fn) => store.read(fn),
    meetAt: (row, requests) => meetAt(store, row, requests),
    async close() {
      await store.close();
      const ends = await Promise.all(started.map(({ stop }) => stop()));
      await location.remove();
      const errors = ends.flatMap(({ code, stderr }) => [...(code === 0 ? [] : [`ended with ${code}`]), ...logged(stderr)]);
      if (errors.length > 0) throw new Error(`the servers met ${errors.length} unexpected error(s): ${errors.join("; ")}`);
    },
  };
}

/** Locks the row, and lets go of it when every request waits for it, in this order. */
async function meetAt<T>(store: Store, { table, id }: Row, requests: readonly (() => Promise<T>)[]): Promise<T[]> {
  const replies: Promise<T>[] = [];
  await store.write(
    async (tx) => {
      const holder = await tx.one<{ pid: number }>(
        `SELECT pg_backend_pid() AS pid FROM ${table} WHERE id = ? FOR NO KEY UPDATE`,
        id,
      );
      for (const send of requests) {
        const count = replies.push(send());
        await vi.waitUntil(async () => (await waitingFor(store, holder!.pid)) >= count, { timeout: 60_000, interval: 10 });
      }
    },
    { isolation: "rows" },
  );
  return Promise.all(replies);
}

/** How many connections wait for one connection's locks, or for others that wait for it. Any others that wait do not count. */
async function waitingFor(store: Store, holder: number): Promise<number> {
  const sql = `WITH RECURSIVE waiting(pid) AS (
    SELECT CAST(? AS INTEGER) UNION
    SELECT a.pid FROM pg_stat_activity a JOIN waiting w ON w.pid = ANY(pg_blocking_pids(a.pid)) WHERE a.datname = current_database()
  ) SELECT CAST(COUNT(*) - 1 AS INTEGER) AS n FROM waiting`;
  return (await store.read((q) => q.one<{ n: number }>(sql, holder)))!.n;
}

/** What a server logged: a line of JSON each, behind the banner. */
export const logged = (stderr: string) => stderr.split("\n").filter((line) => line.startsWith("{"));

const databaseUrlOf = (location: DatabaseLocation) => (location.options as { databaseUrl: string }).databaseUrl;

/** A sandbox in `folder` on the PostgreSQL database of `location`, or on SQLite in its folder, once it serves. */
export async function startProcess(
  folder: string,
  location?: DatabaseLocation,
  flags: readonly string[] = [],
  env: Record<string, string> = {},
) {
  const file = join(freshFolder(), "ready.json");
  const argv = [
    ...["serve", "run", "--sandbox", "--port", "0", "--rate-limit", "off", "--log-level", "error", "--data", folder],
    ...(location ? ["--database-url", databaseUrlOf(location)] : []),
    ...["--ready-file", file, ...flags],
  ];
  const { child, ended } = spawnPlaytest(folder, argv, env);
  const ready = await Promise.race([readyFile(file), ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  return {
    ...ready,
    node: nodeAt(ready.baseUrl),
    child,
    ended,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/** One server of this process, on SQLite. */
export async function oneSqlite(): Promise<Cluster> {
  const store = await sqlite.open();
  const config = { config: (changed: { playtesters: object }) => void Object.assign(changed.playtesters, { maxReserved }) };
  const server = await startTestServer({ store, ...config });
  return {
    nodes: [server],
    read: (fn) => store.read(fn),
    meetAt: (_, requests) => Promise.all(requests.map((send) => send())),
    async close() {
      await server.close();
      await store.remove();
    },
  };
}
