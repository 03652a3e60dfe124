import { readFileSync } from "node:fs";
import { join } from "node:path";
import { request } from "undici";
import { Database } from "../../helpers/sqlite.ts";
import type { Call } from "../load.ts";
import { serveIn } from "../serve.ts";

const calls = 100;

/** What one request costs SQLite, as text: the statements that it executes, and the rows and index entries that it adds. */
export async function costsOf(dataDir: string, callOf: (index: number) => Call | undefined): Promise<string> {
  const file = join(dataDir, "playtest.db");
  const counted = join(dataDir, "statements");
  const served = await serveIn(dataDir, [], {
    NODE_OPTIONS: `--import ${join(import.meta.dirname, "../peers/count-statements.mjs")}`,
    PLAYTEST_BENCH_STATEMENTS: counted,
  });
  const before = stored(file);
  // One after the other, so that each is committed alone: together they share the statements of a commit.
  for (let index = 0; index <= calls; index++) {
    const { path, method, headers, body = null } = callOf(index)!;
    const reply = await request(served.baseUrl + path, {
      method,
      headers: { ...headers, "idempotency-key": `costs-${index}` },
      body,
    });
    await reply.body.dump();
    // The first request of a process prepares the statements.
    if (index === 0) process.kill(served.pid, "SIGUSR2");
  }
  const after = stored(file);
  await served.stop();
  const statements = Number(readFileSync(counted, "utf8"));
  const each = (count: number, of: number) => (count / of).toFixed(1);
  return `${each(statements, calls)} statements, ${each(after.rows - before.rows, calls + 1)} new rows, ${each(after.entries - before.entries, calls + 1)} new index entries`;
}

/** The rows of all tables and the entries of all their indexes, but those of the search, which no request writes. */
function stored(file: string): { rows: number; entries: number } {
  const db = new Database(file, { readonly: true });
  const count = (sql: string) => (db.prepare(`SELECT COUNT(*) AS n FROM ${sql}`).get() as { n: number }).n;
  const made = db.prepare("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index'").all();
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search%'").all();
  let [rows, entries] = [0, 0];
  for (const { name } of tables as { name: string }[]) rows += count(name);
  for (const { tbl_name, sql } of made as { tbl_name: string; sql: string | null }[]) {
    if (tbl_name.startsWith("search")) continue;
    entries += count(`${tbl_name} ${/ WHERE .*$/s.exec(sql ?? "")?.[0] ?? ""}`);
  }
  db.close();
  return { rows, entries };
}
