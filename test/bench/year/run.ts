import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { request } from "undici";
import { cleanUp, exitOnSignals } from "../../helpers/clean-up.ts";
import { sql } from "../../helpers/postgres-server.ts";
import { Database } from "../../helpers/sqlite.ts";
import { removeOnExit } from "../../setup/folders.ts";
import { startPostgres } from "../../setup/postgres.ts";
import { type Served, serveIn } from "../serve.ts";
import { type Population, populate } from "../sustained/population.ts";
import { Latencies } from "./latencies.ts";
import { Stories } from "./stories.ts";

/**
 * `npm run bench:year [-- --slots 1000000 --database postgres]`: a year of a marketplace in some hours, on the clock of a sandbox. Prints
 * for each month how many requests were answered, and what disk and memory are used; and at the end how the times of the ten busiest
 * operations in the twelfth month compare with the first. Owners and playtesters are as many for each slot as 2,000 and 50,000 for 1,000,000.
 * Ends with 1 when they do not compare well, or cannot be compared. A sandbox never removes what a live server no longer keeps (retention,
 * and the sweep of files), so a live server has at most as much on its disk.
 */
const { values } = parseArgs({
  options: { slots: { type: "string", default: "1000000" }, database: { type: "string", default: "sqlite" } },
});
const slots = Number(values.slots);
if (!(Number.isInteger(slots) && slots >= 1_000))
  throw new Error(`--slots ${values.slots} is not a whole number of slots from 1,000.`);
if (values.database !== "sqlite" && values.database !== "postgres")
  throw new Error(`--database ${values.database} is neither sqlite nor postgres.`);

const connections = 16;
const [months, daysOfMonth] = [12, 30];
/** Days before the first month, so that it does not measure how the server warms up. */
const warmUpDays = 5;
const slotsOfDay = slots / (months * daysOfMonth);
const size = { owners: Math.ceil(slots / 500), testers: Math.ceil(slots / 20), playtests: 0 };
const mostSlower = 1.3;
/** With fewer calls in a month the slowest hundredth is chance. */
const fewestCalls = 1_000;

const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

/** The memory of a process in bytes. */
const memoryOf = (pid: number) => 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce(
    (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

async function databaseOf(dataDir: string, databaseUrl: string | undefined): Promise<{ bytes: number; events: number }> {
  const count = "SELECT COUNT(*) AS events FROM events";
  if (databaseUrl) {
    const [row] = await sql<{ bytes: string; events: string }>(
      databaseUrl,
      `SELECT pg_database_size(current_database()) AS bytes, (${count}) AS events`,
    );
    return { bytes: Number(row!.bytes), events: Number(row!.events) };
  }
  const file = join(dataDir, "playtest.db");
  const db = new Database(file, { readonly: true });
  const { events } = db.prepare(count).get() as { events: number };
  db.close();
  return { bytes: statSync(file).size, events };
}

/** Returns how long (ms) it took to end the day. */
async function nextDay(served: Served): Promise<number> {
  const started = performance.now();
  const reply = await request(`${served.baseUrl}/api/v1/sandbox/clock/advance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ seconds: 86_400 }),
    headersTimeout: 0,
  });
  const text = await reply.body.text();
  // Requests without a key have a limit of their own, of so many a minute.
  if (reply.statusCode === 429) {
    await pause(1000 * Number(reply.headers["retry-after"]));
    return nextDay(served);
  }
  if (reply.statusCode !== 200) throw new Error(`The clock could not be moved: ${text}`);
  return performance.now() - started;
}

/** What happens on a day, in any order. */
function dayOf(stories: Stories, day: number): (() => Promise<void>)[] {
  const count = Math.floor((day + 1) * slotsOfDay) - Math.floor(day * slotsOfDay);
  const each = (times: number, story: () => Promise<void>) => Array.from({ length: times }, () => story);
  const all = [
    ...each(Math.ceil(count / 5), () => stories.order()),
    ...each(count, () => stories.play()),
    ...each(count, () => stories.review()),
    ...each(Math.ceil(count / 2), () => stories.look()),
  ];
  return all
    .map((story) => ({ story, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ story }) => story);
}

async function runAll(tasks: (() => Promise<void>)[]): Promise<void> {
  const worker = async () => {
    for (let task = tasks.pop(); task; task = tasks.pop()) await task();
  };
  await Promise.all(Array.from({ length: connections }, worker));
}

/** Lives a month and prints what it took. */
async function live(served: Served, stories: Stories, month: number, databaseUrl: string | undefined): Promise<void> {
  let [busy, moving] = [0, 0];
  for (let day = 0; day < daysOfMonth; day++) {
    const started = performance.now();
    await runAll(dayOf(stories, warmUpDays + month * daysOfMonth + day));
    busy += performance.now() - started;
    moving += await nextDay(served);
  }
  const { bytes, events } = await databaseOf(served.dataDir, databaseUrl);
  const { count } = stories.latencies;
  const facts = [
    `month ${month + 1}: ${count} requests, ${((1000 * count) / busy).toFixed(0)} a second`,
    `${(moving / daysOfMonth).toFixed(0)} ms to end a day`,
    `memory ${mib(memoryOf(served.pid))}`,
    `database ${mib(bytes)} with ${events} events`,
    `files ${mib(bytesIn(join(served.dataDir, "blobs")))}`,
  ];
  process.stdout.write(`${facts.join(" · ")}\n`);
}

/** Returns the times of the first and of the last month. */
async function year(dataDir: string, databaseUrl: string | undefined, population: Population): Promise<[Latencies, Latencies]> {
  const served = await serveIn(dataDir, ["--sandbox", "--database-url", databaseUrl ?? ""]);
  const kill = () => process.kill(served.pid, "SIGKILL");
  process.once("exit", kill);
  const stories = new Stories(served.baseUrl, population, connections);
  try {
    for (let day = 0; day < warmUpDays; day++) {
      await runAll(dayOf(stories, day));
      await nextDay(served);
    }
    const first = new Latencies();
    for (let month = 0; month < months; month++) {
      stories.latencies = month === 0 ? first : new Latencies();
      await live(served, stories, month, databaseUrl);
    }
    return [first, stories.latencies];
  } finally {
    await cleanUp([stories.close, served.stop]);
    process.off("exit", kill);
  }
}

type Verdict = "met" | "MISSED" | "NOT MEASURED";

/** Prints the times of both months, and returns whether those that can be compared are within the goal. */
function compare(first: Latencies, last: Latencies): Verdict {
  const verdicts = last.busiest().flatMap((operation) => {
    const name = operation.padEnd(42);
    const calls = Math.min(first.countOf(operation), last.countOf(operation));
    if (calls < fewestCalls) {
      process.stdout.write(`${name} too few: ${calls} calls in a month\n`);
      return [];
    }
    const [p50s, p99s] = [0.5, 0.99].map((share) => [first.quantile(operation, share), last.quantile(operation, share)]) as [
      [number, number],
      [number, number],
    ];
    const ratio = p99s[1] / p99s[0];
    const figures = [p99s, p50s].map(([before, after]) => `${before.toFixed(1)} → ${after.toFixed(1)} ms`);
    process.stdout.write(`${name} p99 ${figures[0]} (${ratio.toFixed(2)}×), p50 ${figures[1]}\n`);
    return [ratio <= mostSlower];
  });
  if (verdicts.length === 0) return "NOT MEASURED";
  return verdicts.every(Boolean) ? "met" : "MISSED";
}

function healthy(dataDir: string, databaseUrl: string | undefined): boolean {
  const location = databaseUrl ? ["--database-url", databaseUrl] : [];
  const cli = join(import.meta.dirname, "../../../bin/playtest.js");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cli, "serve", "doctor", "--ledger", "--data", dataDir, ...location],
    { encoding: "utf8", maxBuffer: 2 ** 26 },
  );
  if (status !== 0) process.stdout.write(`${stdout}${stderr}`);
  return status === 0;
}

exitOnSignals();
const dataDir = mkdtempSync(join(tmpdir(), "playtest-bench-"));
const removeData = removeOnExit(dataDir);
const postgres = values.database === "postgres" ? await startPostgres({ durable: true }) : undefined;
try {
  const population = await populate(dataDir, size, postgres?.url, ["--sandbox"]);
  const [first, last] = await year(dataDir, postgres?.url, population);
  const verdict = compare(first, last);
  const clean = healthy(dataDir, postgres?.url);
  process.stdout.write(`p99 of month 12 within ${mostSlower} of month 1: ${verdict}; doctor: ${clean ? "clean" : "NOT CLEAN"}\n`);
  if (!clean || verdict !== "met") process.exitCode = 1;
} finally {
  await cleanUp([() => postgres?.stop(), removeData]);
}
