import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { request } from "undici";
import { cleanUp } from "../../helpers/clean-up.ts";
import { sql } from "../../helpers/postgres-server.ts";
import { Database } from "../../helpers/sqlite.ts";
import { removeOnExit } from "../../setup/folders.ts";
import { startPostgres } from "../../setup/postgres.ts";
import { type Served, serveIn } from "../serve.ts";
import { populate, type Size } from "../sustained/population.ts";
import type { Latencies } from "./latencies.ts";
import { Stories } from "./stories.ts";

const connections = 16;

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

/** What happens on a day, in any order. */
function storiesOf(stories: Stories, slots: number): (() => Promise<void>)[] {
  const each = (times: number, story: () => Promise<void>) => Array.from({ length: times }, () => story);
  const all = [
    ...each(Math.ceil(slots / 5), () => stories.order()),
    ...each(slots, () => stories.play()),
    ...each(slots, () => stories.review()),
    ...each(Math.ceil(slots / 2), () => stories.look()),
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

/** A marketplace in a sandbox with a database of its own, whose owners and playtesters live day after day. */
export class Market {
  readonly #served: Served;
  readonly #stories: Stories;
  readonly #databaseUrl: string | undefined;
  readonly #removeData: () => Promise<void>;
  #isStopped = false;

  private constructor(served: Served, stories: Stories, databaseUrl: string | undefined, removeData: () => Promise<void>) {
    this.#served = served;
    this.#stories = stories;
    this.#databaseUrl = databaseUrl;
    this.#removeData = removeData;
  }

  static async start(database: "sqlite" | "postgres", size: Size): Promise<Market> {
    const dataDir = mkdtempSync(join(tmpdir(), "playtest-bench-"));
    const removeFolder = removeOnExit(dataDir);
    const postgres = database === "postgres" ? await startPostgres({ durable: true }) : undefined;
    const removeData = () => cleanUp([() => postgres?.stop(), removeFolder]);
    try {
      const population = await populate(dataDir, size, postgres?.url, ["--sandbox"]);
      const served = await serveIn(dataDir, ["--sandbox", "--database-url", postgres?.url ?? ""]);
      const market = new Market(served, new Stories(served.baseUrl, population, connections), postgres?.url, removeData);
      process.once("exit", market.#kill);
      return market;
    } catch (error) {
      await removeData();
      throw error;
    }
  }

  /** The times of all calls since they were set. */
  get latencies(): Latencies {
    return this.#stories.latencies;
  }

  set latencies(latencies: Latencies) {
    this.#stories.latencies = latencies;
  }

  /**
   * Lives the day of this number, and returns how long (ms) its stories took, and how long the server took to move its clock. `slots` need
   * not be whole: the number of a day says how many of them it has.
   */
  async day(number: number, slots: number): Promise<{ stories: number; moving: number }> {
    const started = performance.now();
    await runAll(storiesOf(this.#stories, Math.floor((number + 1) * slots) - Math.floor(number * slots)));
    const stories = performance.now() - started;
    return { stories, moving: await this.#moveClock() };
  }

  /** What it uses of the machine, for people. */
  async measures(): Promise<string[]> {
    const { bytes, events } = await this.#measureDatabase();
    return [
      `memory ${mib(memoryOf(this.#served.pid))}`,
      `database ${mib(bytes)} with ${events} events`,
      `files ${mib(bytesIn(join(this.#served.dataDir, "blobs")))}`,
    ];
  }

  /** Whether `serve doctor --ledger` finds nothing; prints what it found. */
  isHealthy(): boolean {
    const location = this.#databaseUrl ? ["--database-url", this.#databaseUrl] : [];
    const cli = join(import.meta.dirname, "../../../bin/playtest.js");
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [cli, "serve", "doctor", "--ledger", "--data", this.#served.dataDir, ...location],
      { encoding: "utf8", maxBuffer: 2 ** 26 },
    );
    if (status !== 0) process.stdout.write(`${stdout}${stderr}`);
    return status === 0;
  }

  /** Stops the server. Its data stay until `remove`. */
  stop = async (): Promise<void> => {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await cleanUp([this.#stories.close, this.#served.stop]);
    process.off("exit", this.#kill);
  };

  remove = (): Promise<void> => cleanUp([this.stop, this.#removeData]);

  readonly #kill = () => process.kill(this.#served.pid, "SIGKILL");

  /** Returns how long (ms) it took to end the day. */
  async #moveClock(): Promise<number> {
    const started = performance.now();
    const reply = await request(`${this.#served.baseUrl}/api/v1/sandbox/clock/advance`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ seconds: 86_400 }),
      headersTimeout: 0,
    });
    const text = await reply.body.text();
    // Requests without a key have a limit of their own, of so many a minute.
    if (reply.statusCode === 429) {
      await pause(1000 * Number(reply.headers["retry-after"]));
      return this.#moveClock();
    }
    if (reply.statusCode !== 200) throw new Error(`The clock could not be moved: ${text}`);
    return performance.now() - started;
  }

  async #measureDatabase(): Promise<{ bytes: number; events: number }> {
    const count = "SELECT COUNT(*) AS events FROM events";
    if (this.#databaseUrl) {
      const [row] = await sql<{ bytes: string; events: string }>(
        this.#databaseUrl,
        `SELECT pg_database_size(current_database()) AS bytes, (${count}) AS events`,
      );
      return { bytes: Number(row!.bytes), events: Number(row!.events) };
    }
    const file = join(this.#served.dataDir, "playtest.db");
    const db = new Database(file, { readonly: true });
    const { events } = db.prepare(count).get() as { events: number };
    db.close();
    return { bytes: statSync(file).size, events };
  }
}
