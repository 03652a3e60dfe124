import { Client } from "pg";
import { startPostgres } from "../setup/postgres.ts";
import { type Call, load } from "./load.ts";
import type { Figure } from "./measure.ts";
import { api } from "./order.ts";
import { type Served, serveAnother, serveDemo } from "./serve.ts";

const owners = 16;
const seconds = Number(process.env.PLAYTEST_BENCH_SECONDS ?? 20);

const settings = { limits: { registerPerMinute: 1_000 } };

interface Run {
  perSecond: number;
  p50: number;
  rollbacks: number;
}

/**
 * `processes`: orders of 16 owners, and claims of 640 playtesters, on one durable PostgreSQL with one and two processes: 64 clients
 * against one. A rollback is a transaction that PostgreSQL did not commit.
 */
export async function processes(): Promise<Figure[]> {
  const postgres = await startPostgres({ durable: true });
  const flags = ["--database-url", postgres.url];
  const first = await serveDemo(flags, settings);
  const client = new Client({ connectionString: postgres.url });
  try {
    await client.connect();
    const market = await createMarket(first);
    const measure = async (servers: readonly Served[], clients: number, run: Workload): Promise<Run> => {
      const before = await rollbacks(client);
      const { perSecond, p50, count } = await run(servers, clients);
      return { perSecond, p50, rollbacks: ((await rollbacks(client)) - before) / count };
    };
    const figures: Figure[] = [];
    const single = await measure([first], 1, market.orders);
    const many = await measure([first], 64, market.orders);
    const claims = await measure([first], 64, market.claims);
    const second = await serveAnother(first, flags);
    try {
      const two = await measure([first, second], 64, market.orders);
      figures.push(
        figure("orders: 64 clients of 16 owners against one", many.perSecond / single.perSecond, 4, many, single),
        figure("orders: two processes against one", two.perSecond / many.perSecond, 1, two, many),
        figure(
          "claims of 64 playtesters at a time against one order at a time",
          claims.perSecond / single.perSecond,
          4,
          claims,
          single,
        ),
      );
    } finally {
      await second.stop();
    }
    return figures;
  } finally {
    await client.end();
    await first.stop();
    await postgres.stop();
  }
}

const figure = (what: string, ratio: number, goal: number, ours: Run, theirs: Run): Figure => ({
  name: "processes",
  what,
  ratio,
  goal: `≥ ${goal}×`,
  met: ratio >= goal,
  raw: `${Math.round(ours.perSecond)} / ${Math.round(theirs.perSecond)} a second, p50 ${ours.p50.toFixed(1)} ms, ${ours.rollbacks.toFixed(3)} rollbacks each`,
});

/** PostgreSQL counts the transactions of a session when it is idle, so a moment later. */
async function rollbacks(client: Client): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await client.query("SELECT xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()");
  return Number(rows[0].n);
}

type Workload = (servers: readonly Served[], clients: number) => Promise<{ perSecond: number; p50: number; count: number }>;

async function createMarket(served: Served): Promise<{ orders: Workload; claims: Workload }> {
  const people: { key: string; gameId: string }[] = [];
  for (let index = 0; index < owners; index++) people.push(await createOwner(served, index));
  const orders: Workload = (servers, clients) =>
    during(servers, clients, (index) => {
      const { key, gameId } = people[index % owners]!;
      return post(key, `/games/${gameId}/playtests`);
    });
  const claims: Workload = async (servers, clients) => {
    const { key, gameId } = people[0]!;
    const keys: string[] = [];
    while (keys.length < 640) {
      const { testers } = (await api(served, "", "POST", "/sandbox/testers", { count: 64 })).data as {
        testers: { apiKey: string }[];
      };
      keys.push(...testers.map(({ apiKey }) => apiKey));
    }
    const ids: string[] = [];
    while (ids.length < 30) {
      const { playtest } = (await api(served, key, "POST", `/games/${gameId}/playtests`, { quantity: 64 })).data as {
        playtest: { id: string };
      };
      ids.push(playtest.id);
    }
    const calls = ids.flatMap((id, n) =>
      keys
        .slice(64 * Math.floor(n / 3), 64 * Math.floor(n / 3) + 64)
        .map((mine) => post(mine, `/playtester/playtests/${id}/claim`)),
    );
    return loadAll(servers, clients, calls.length, (index) => calls[index]!);
  };
  return { orders, claims };
}

async function createOwner(served: Served, index: number): Promise<{ key: string; gameId: string }> {
  const account = {
    email: `owner${index}@example.com`,
    password: `a long passphrase ${index}`,
    role: "game_owner",
    name: `Owner ${index}`,
  };
  const { apiKey, user } = (await api(served, "", "POST", "/auth/register/api-key", account)).data as {
    apiKey: string;
    user: { id: string };
  };
  for (let grant = 0; grant < 10; grant++)
    await api(served, served.adminKey, "POST", `/admin/users/${user.id}/credit`, { amountCents: 1_000_000, note: "benchmark" });
  const { game } = (await api(served, apiKey, "POST", "/games", { name: `Game ${index}`, buildUrl: "https://example.com/build" }))
    .data as { game: { id: string } };
  return { key: apiKey, gameId: game.id };
}

const post = (key: string, path: string): Call => ({
  method: "POST",
  path: `/api/v1${path}`,
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: "{}",
});

/** As many calls as take about `seconds`, as a short run before tells. */
async function during(servers: readonly Served[], clients: number, make: (index: number) => Call) {
  const { perSecond } = await loadAll(servers, clients, clients * 10, make);
  return loadAll(servers, clients, Math.ceil(perSecond * seconds), make);
}

/** Spreads the clients over the servers. */
async function loadAll(servers: readonly Served[], clients: number, count: number, make: (index: number) => Call) {
  let next = 0;
  const results = await Promise.all(
    servers.map(({ baseUrl }) =>
      load(baseUrl, {
        connections: clients / servers.length,
        count: Math.ceil(count / servers.length),
        make: () => make(next++),
      }),
    ),
  );
  for (const { statuses } of results)
    if (Object.keys(statuses).some((status) => status !== "201")) throw new Error(`replies: ${JSON.stringify(statuses)}`);
  return {
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p50: Math.max(...results.map(({ p50 }) => p50)),
    count,
  };
}
