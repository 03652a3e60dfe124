import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { openStore } from "../../server/database/open.ts";
import type { Query, Store } from "../../server/database/port.ts";
import { checkLedger } from "../../server/ledger/checks.ts";
import { startProcess } from "../helpers/cluster.ts";
import { createGame, type Person, personWith, registerOwner } from "../helpers/factories.ts";
import { createDatabase, sql } from "../helpers/postgres-server.ts";
import { killLeftovers } from "../helpers/process.ts";
import { nodeAt, type Reply, startTestServer } from "../helpers/server.ts";
import { freshFolder } from "../helpers/store.ts";
import { startPair } from "../setup/postgres.ts";

/** A PostgreSQL and a standby that streams from it. A write is acknowledged when both have it. */
let pair: Awaited<ReturnType<typeof startPair>>;
/** A database on the one and on the other. */
let [primary, standby] = ["", ""];
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  pair = await startPair();
  [primary, standby] = await database();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await killLeftovers();
});
afterAll(async () => {
  await pair?.standby.kill();
  await pair?.primary.kill();
});

async function database(): Promise<[string, string]> {
  const { name, url } = await createDatabase(pair.primary.url);
  await (await openStore({ databaseUrl: url })).close();
  return [url, Object.assign(new URL(pair.standby.url), { pathname: `/${name}` }).href];
}

async function open(readUrl: string, databaseUrl = primary): Promise<Store> {
  const store = await openStore({ databaseUrl, readUrl });
  closing.push(() => store.close());
  return store;
}

const put = (store: Store, name: string) =>
  store.write((tx) => tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", name, "yes"));
const look = (name: string) => async (q: Query) => ({
  fromStandby: (await q.one<{ yes: number }>("SELECT pg_is_in_recovery() AS yes"))!.yes === 1,
  found: (await q.one("SELECT value FROM settings WHERE name = ?", name)) !== undefined,
});
const anywhere = { replica: true };
const checkOf = async (store: Store) => (await store.check({ thorough: true })).find(({ name }) => name === "replica");
/** Waits for the standby. */
const caughtUp = (store: Store) =>
  vi.waitUntil(async () => (await store.read(look(""), anywhere)).fromStandby, { timeout: 60_000, interval: 20 });

it("reads may use the standby, and never miss what was committed before them, by another process either", async () => {
  const [store, other] = [await open(standby), await open(standby)];
  await caughtUp(store);
  await sql(standby, "SELECT pg_wal_replay_pause()");
  await put(other, "paused");
  expect(await store.read(look("paused"), anywhere)).toEqual({ fromStandby: false, found: true });
  expect((await checkOf(store))?.detail).toMatch(/^\d+ bytes of log behind$/);
  await sql(standby, "SELECT pg_wal_replay_resume()");
  await caughtUp(store);
  expect(await store.read(look("paused"), anywhere)).toEqual({ fromStandby: true, found: true });
  expect((await store.read(look("paused"))).fromStandby).toBe(false);
  expect(await checkOf(store)).toMatchObject({ ok: true, detail: "has everything that was committed" });
});

it("requests that only read use it, with what their sender just wrote", async () => {
  const store = await open(standby);
  const server = await startTestServer({ store });
  closing.push(() => server.close());
  const owner = await registerOwner(server);
  const names: string[] = [];
  while (names.length < 20) {
    names.push(`Game ${names.length}`);
    await createGame(owner, { name: names.at(-1) });
    const { games } = (await owner.get("/games?limit=100")).body.data;
    expect(games.map(({ name }: { name: string }) => name).sort()).toEqual([...names].sort());
  }
  const last =
    "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%game_categories%' AND pid <> pg_backend_pid()";
  const isUsed = async () => {
    await owner.get("/games");
    return (await sql(standby, last)).length > 0;
  };
  await vi.waitUntil(isUsed, { timeout: 60_000, interval: 20 });
});

it.each([
  ["the database itself", () => primary, "the server of database.readUrl is not a standby"],
  ["another database", () => pair.standby.url, "the server of database.readUrl is no copy of this database"],
  ["nobody", () => "postgres://127.0.0.1:9/nothing", "database.readUrl does not answer"],
])("a replica that is %s is not read, and the doctor says so", async (_, url, detail) => {
  const store = await open(url());
  expect(await store.read(look("paused"), anywhere)).toEqual({ fromStandby: false, found: true });
  const check = await checkOf(store);
  expect(check).toMatchObject({ ok: true, warning: true });
  expect(check?.detail).toContain(detail);
});

it("several replicas are refused", async () => {
  const several = standby.replace(/@([^/]+)/, "@$1,$1");
  await expect(openStore({ databaseUrl: primary, readUrl: several })).rejects.toThrow("names several hosts");
});

/** Sends until there is an answer that is not 503, over one server and the other. */
async function persist(send: (index: number) => Promise<Reply>, start: number): Promise<Reply> {
  for (let index = start; ; index++) {
    const reply = await send(index).catch(() => undefined);
    if (reply && reply.status !== 503) return reply;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const owners = 4;
const ordersBefore = 40;
const ordersAfter = 80;

it("a standby that is promoted under load of two processes has every acknowledged order once, and readers miss none", async () => {
  const [primary, standby] = await database();
  const hosts = `${new URL(primary).host},${new URL(standby).host}`;
  const databaseUrl = `${primary.replace(new URL(primary).host, hosts)}?target_session_attrs=read-write`;
  const folder = freshFolder();
  writeFileSync(join(folder, "config.json"), JSON.stringify({ database: { readUrl: standby } }));
  const location = { options: { databaseUrl }, unrestricted: { databaseUrl }, remove: async () => {} };
  const servers = await Promise.all([0, 1].map(() => startProcess(folder, location)));
  const nodes = servers.map(({ baseUrl }) => nodeAt(baseUrl));
  const node = (index: number) => nodes[index % nodes.length]!;
  const people = await Promise.all(Array.from({ length: owners }, (_, n) => registerOwner(nodes[0]!, `Owner ${n}`)));
  const acknowledged: string[][] = people.map(() => []);
  const missed: string[] = [];
  let count = 0;

  const work = async (owner: Person, index: number) => {
    const { paymentId } = (await owner.post("/billing/credit", { amountCents: 1_000_000 })).body.data;
    await node(1).request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome: "paid" } });
    const gameId = await createGame(owner);
    const via = (n: number) => personWith(node(n), owner.key, owner.id);
    for (let number = index; count < ordersBefore + ordersAfter; number++) {
      const headers = { "idempotency-key": randomUUID() };
      const reply = await persist((n) => via(n).post(`/games/${gameId}/playtests`, {}, headers), number);
      expect(reply.status).toBe(201);
      acknowledged[index]!.push(reply.body.data.playtest.id);
      count++;
      const seen = await persist((n) => via(n).get(`/games/${gameId}/playtests?limit=100`), number + 1);
      const ids = seen.body.data.playtests.map(({ id }: { id: string }) => id);
      missed.push(...acknowledged[index]!.filter((id) => !ids.includes(id)));
    }
    return gameId;
  };
  const working = people.map(work);
  await vi.waitUntil(() => count >= ordersBefore, { timeout: 60_000, interval: 10 });
  await pair.primary.kill();
  await sql(pair.standby.url, "SELECT pg_promote()");
  const games = await Promise.all(working);

  expect(missed).toEqual([]);
  for (const [index, owner] of people.entries()) {
    const { playtests } = (await owner.get(`/games/${games[index]}/playtests?limit=100`)).body.data;
    expect(playtests.map(({ id }: { id: string }) => id).sort()).toEqual(acknowledged[index]!.sort());
  }
  await Promise.all(servers.map(({ stop }) => stop()));
  const promoted = await openStore({ databaseUrl: standby });
  closing.push(() => promoted.close());
  expect((await promoted.read(checkLedger)).filter(({ ok }) => !ok)).toEqual([]);
});
