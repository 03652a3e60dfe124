import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { startPostgres } from "../setup/postgres.ts";
import { type Call, load } from "./load.ts";
import type { Figure } from "./measure.ts";
import { pgbench, scriptOf, startRecorder } from "./peers/pgbench.ts";
import { type Served, serveIn } from "./serve.ts";
import { deliveriesOf } from "./sustained/deliveries.ts";
import { type Population, populate, racers } from "./sustained/population.ts";
import { cpuTime, seconds } from "./sustained/run.ts";

/** Connections of clients, and those of a process to PostgreSQL, which pgbench uses too. */
const [clients, connections] = [64, 20];
const size = { testers: 25 * racers, playtests: 400 };
/** Calls before a measurement: a process that was just started is slower until its code is compiled. */
const warmUp = 2_000;

interface Run {
  perSecond: number;
  p50: number;
  /** Transactions that PostgreSQL did not commit, for each request. */
  rollbacks: number;
  /** CPU time for each request, in microseconds, of the processes of the server and of the database. */
  serverCpu: number;
  databaseCpu: number;
}

/** Calls in their order; the same one is made once, unless it may be repeated. */
interface Workload {
  name: string;
  calls(population: Population): (index: number) => Call;
  /** As many calls as there are. Undefined where they never end. */
  most?: number;
}

const json = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });

/** Orders of so many owners, in turn. */
const orders = (owners: number): Workload => ({
  name: `orders of ${owners} owner${owners === 1 ? "" : "s"}`,
  calls: (population) => {
    const games = gamesOf(population, owners);
    return (index) => {
      const { id, key } = games[index % games.length]!;
      return { method: "POST", path: `/api/v1/games/${id}/playtests`, headers: json(key), body: "{}" };
    };
  },
});

const reads: Workload = {
  name: "reads",
  calls:
    ({ games }) =>
    (index) => {
      const { id, key } = games[(index * 7919) % games.length]!;
      return { method: "GET", path: `/api/v1/games/${id}/playtests?limit=20`, headers: json(key) };
    },
};

/** 64 playtesters race for each playtest. */
function claims(): Workload {
  let first = 0;
  return {
    name: "claims",
    most: (size.playtests * racers) / 8,
    calls: ({ playtests, testers }) => {
      const start = first;
      first += (size.playtests * racers) / 8;
      return (count) => {
        const index = start + count;
        const path = `/api/v1/playtester/playtests/${playtests[Math.floor(index / racers)]}/claim`;
        return { method: "POST", path, headers: json(testers[index % testers.length]!.key), body: "{}" };
      };
    },
  };
}

/** One game of each of the first owners. */
function gamesOf({ games }: Population, owners: number): Population["games"] {
  const keys = new Map(games.map((game) => [game.key, game]));
  return [...keys.values()].slice(0, owners);
}

/** The server's processes on one PostgreSQL. */
class Bench {
  readonly servers: Served[] = [];
  readonly population: Population;
  readonly #dataDir: string;
  readonly #client: Client;
  readonly #url: string;
  #postmaster = 0;

  constructor(population: Population, dataDir: string, client: Client, url: string) {
    this.population = population;
    this.#dataDir = dataDir;
    this.#client = client;
    this.#url = url;
  }

  async use(processes: number): Promise<void> {
    while (this.servers.length < processes) this.servers.push(await this.serve(this.#url));
  }

  serve(url: string): Promise<Served> {
    return serveIn(this.#dataDir, ["--database-url", url]);
  }

  async measure(workload: Workload, { at = clients, over = this.servers } = {}): Promise<Run> {
    const call = workload.calls(this.population);
    let next = 0;
    const make = () => call(next++);
    const warm = await loadAll(over, at, Math.min(warmUp, (workload.most ?? Number.POSITIVE_INFINITY) / 4), make);
    const count = Math.ceil(Math.min(warm.perSecond * seconds, (workload.most ?? Number.POSITIVE_INFINITY) - next));
    const [rollbacks, server, database] = [await this.#rollbacks(), cpuOf(over), await this.#databaseCpu()];
    const { perSecond, p50 } = await loadAll(over, at, count, make);
    const [serverCpu, databaseCpu] = [(cpuOf(over) - server) / count, ((await this.#databaseCpu()) - database) / count];
    return { perSecond, p50, rollbacks: ((await this.#rollbacks()) - rollbacks) / count, serverCpu, databaseCpu };
  }

  /** PostgreSQL counts the transactions of a session when it is idle, so a moment later. */
  async #rollbacks(): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const { rows } = await this.#client.query(
      "SELECT xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()",
    );
    return Number(rows[0].n);
  }

  /** CPU time of all processes of PostgreSQL, in microseconds, with those that ended. */
  async #databaseCpu(): Promise<number> {
    this.#postmaster ||= parentOf(Number((await this.#client.query("SELECT pg_backend_pid() AS pid")).rows[0].pid));
    const own = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && parentOf(Number(pid)) === this.#postmaster);
    return endedChildren(this.#postmaster) + [this.#postmaster, ...own.map(Number)].reduce((sum, pid) => sum + cpuTime(pid), 0);
  }
}

const fieldsOf = (pid: number): string[] => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  } catch {
    // It ended meanwhile.
    return [];
  }
};
const parentOf = (pid: number) => Number(fieldsOf(pid)[1]);
const endedChildren = (pid: number) => (Number(fieldsOf(pid)[13]) + Number(fieldsOf(pid)[14])) * 10_000;
const cpuOf = (servers: readonly Served[]) => servers.reduce((sum, { pid }) => sum + cpuTime(pid), 0);

/** Spreads the clients over the servers. */
async function loadAll(servers: readonly Served[], at: number, count: number, make: () => Call) {
  const portion = { connections: at / servers.length, count: Math.ceil(count / servers.length), make };
  const results = await Promise.all(servers.map(({ baseUrl }) => load(baseUrl, portion)));
  for (const { statuses } of results)
    if (Object.keys(statuses).some((status) => !/^20[01]$/.test(status))) throw new Error(`replies: ${JSON.stringify(statuses)}`);
  const perSecond = results.reduce((sum, result) => sum + result.perSecond, 0);
  return { perSecond, p50: Math.max(...results.map(({ p50 }) => p50)) };
}

/**
 * `processes`: orders of 1, 16 and 1,000 owners, claims and reads of 64 clients, and deliveries, on one durable PostgreSQL, with 1,
 * 2 and 4 processes; against one client, against SQLite and against pgbench, which runs the statements of the same orders.
 */
export async function processes(): Promise<Figure[]> {
  const postgres = await startPostgres({ durable: true });
  const dataDir = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  const bench = new Bench(await populate(dataDir, size, postgres.url), dataDir, client, postgres.url);
  try {
    const delivered = await deliveryFigures(client, postgres.url);
    await bench.use(1);
    const single = await bench.measure(orders(16), { at: 1 });
    const [one, many, most] = [
      await bench.measure(orders(1)),
      await bench.measure(orders(16)),
      await bench.measure(orders(1_000)),
    ];
    const others = [reads, claims()];
    const alone = [many, await bench.measure(reads), await bench.measure(others[1]!)];
    const byHand = await ordersByHand(bench, postgres.url);
    const inFile = await ordersOnSqlite();
    const figures = [
      figure("orders of 16 owners: 64 clients against one", many.perSecond / single.perSecond, 4, many, single),
      figure("orders of one owner against 16", one.perSecond / many.perSecond, 0, one, many),
      figure("orders of 1,000 owners against 16", most.perSecond / many.perSecond, 0, most, many),
      limited("rollbacks for an order of 16 owners", many.rollbacks, 0.02, many),
      limited("CPU time of an order against SQLite", cpuOfBoth(many) / cpuOfBoth(inFile), 2, many, inFile),
    ];
    if (byHand !== undefined) {
      const raw = `${Math.round(many.perSecond)} / ${Math.round(byHand)} a second`;
      figures.push({ ...figure("orders against pgbench with their statements", many.perSecond / byHand, 0.5, many, many), raw });
    }
    for (const processes of [2, 4]) {
      await bench.use(processes);
      for (const [index, workload] of [orders(16), ...others].entries()) {
        const run = await bench.measure(workload);
        const what = `${workload.name}: ${processes} processes against one`;
        figures.push(figure(what, run.perSecond / alone[index]!.perSecond, 1, run, alone[index]!));
      }
    }
    return [...figures, ...delivered];
  } finally {
    await client.end();
    for (const served of bench.servers) await served.stop();
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Deliveries of more processes against those of one; in a database of their own, as only a sandbox sends to this machine. */
async function deliveryFigures(client: Client, url: string): Promise<Figure[]> {
  await client.query("CREATE DATABASE deliveries");
  const [alone, ...more] = await deliveriesOf([1, 2, 4], url.replace(/[^/]*$/, "deliveries"));
  return more.map((rate, index) => ({
    name: "processes",
    what: `deliveries: ${[2, 4][index]} processes against one`,
    ratio: rate / alone!,
    goal: "≥ 1×",
    met: rate >= alone!,
    raw: `${Math.round(rate)} / ${Math.round(alone!)} a second, none lost or sent twice`,
  }));
}

/** Orders a second of pgbench; undefined without pgbench. */
async function ordersByHand(bench: Bench, url: string): Promise<number | undefined> {
  const recorder = await startRecorder(url);
  const served = await bench.serve(recorder.url);
  const scripts: string[] = [];
  for (const { id, key } of gamesOf(bench.population, 16)) {
    const path = `${served.baseUrl}/api/v1/games/${id}/playtests`;
    recorder.taken();
    for (let count = 0; count < 2; count++) await (await fetch(path, { method: "POST", headers: json(key), body: "{}" })).text();
    const [one, other] = recorder.taken().filter((all) => all.some(({ sql }) => sql.startsWith("INSERT INTO playtests")));
    scripts.push(scriptOf(other!, one!));
  }
  await served.stop();
  await recorder.close();
  return pgbench(url, scripts, { connections, seconds });
}

/** The same orders on SQLite, for their CPU time. */
async function ordersOnSqlite(): Promise<Run> {
  const dataDir = mkdtempSync(join(tmpdir(), "playtest-bench-"));
  const population = await populate(dataDir, { testers: 0, playtests: 0 });
  const served = await serveIn(dataDir, []);
  try {
    const call = orders(16).calls(population);
    let next = 0;
    const make = () => call(next++);
    const warm = await loadAll([served], clients, warmUp, make);
    const [count, before] = [Math.ceil(warm.perSecond * seconds), cpuOf([served])];
    const { perSecond, p50 } = await loadAll([served], clients, count, make);
    return { perSecond, p50, rollbacks: 0, serverCpu: (cpuOf([served]) - before) / count, databaseCpu: 0 };
  } finally {
    await served.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const cpuOfBoth = ({ serverCpu, databaseCpu }: Run) => serverCpu + databaseCpu;

const shown = ({ perSecond, p50, rollbacks, serverCpu, databaseCpu }: Run) =>
  `${Math.round(perSecond)} a second, p50 ${p50.toFixed(1)} ms, ${rollbacks.toFixed(3)} rollbacks, ${Math.round(serverCpu)} + ${Math.round(databaseCpu)} µs of CPU`;

/** A goal of 0 is none: the figure is only shown. */
const figure = (what: string, ratio: number, goal: number, ours: Run, theirs: Run): Figure => ({
  name: "processes",
  what,
  ratio,
  goal: goal === 0 ? "shown" : `≥ ${goal}×`,
  met: ratio >= goal,
  raw: `${shown(ours)} / ${shown(theirs)}`,
});

const limited = (what: string, ratio: number, goal: number, ...runs: Run[]): Figure => ({
  name: "processes",
  what,
  ratio,
  goal: `≤ ${goal}`,
  met: ratio <= goal,
  raw: runs.map(shown).join(" / "),
});
