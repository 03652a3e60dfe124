import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { openStore } from "../../server/database/open.ts";
import { checkLedger } from "../../server/ledger/checks.ts";
import { type Cluster, ledgerDamage, oneSqlite, startProcess, twoProcesses } from "../helpers/cluster.ts";
import { createGame, type Person, personWith, registerOwner } from "../helpers/factories.ts";
import { cheapPasswords, killLeftovers } from "../helpers/process.ts";
import { type Node, nodeAt } from "../helpers/server.ts";
import { drivers, freshFolder } from "../helpers/store.ts";

/** However many orders come at the same time, from however many keys of one tree, a budget is never exceeded. */
const orders = Number(process.env.PLAYTEST_BUDGET_ORDERS ?? 300);
const keys = 50;
const atOnce = 40;
const priceCents = 2000;
const limitSlots = Math.ceil(orders / 6);

const places = [
  { place: "two processes with one PostgreSQL", start: twoProcesses },
  ...(inject("restricted") ? [] : [{ place: "one process on SQLite", start: oneSqlite }]),
];

interface Shop {
  owner: Person;
  gameId: string;
  agents: Person[];
}

/** An owner with enough credit, and keys of one tree: a third made with the first, the others each with the one before. */
async function openShop(node: Node): Promise<Shop> {
  const owner = await registerOwner(node);
  for (let cents = 0; cents < (limitSlots + 1) * priceCents; cents += 1_000_000) {
    const { paymentId } = (await owner.post("/billing/credit", { amountCents: 1_000_000 })).body.data;
    await node.request("POST", `/sandbox/payments/${paymentId}/complete`, { body: { outcome: "paid" } });
  }
  const gameId = await createGame(owner);
  const budgets = [{ period: "day", limitCents: limitSlots * priceCents, limitSlots }];
  const agents: Person[] = [];
  while (agents.length < keys) {
    const by = agents.length === 0 ? owner : agents.length % 3 === 0 ? agents[0]! : agents.at(-1)!;
    const body = { name: `agent ${agents.length}`, ...(agents.length === 0 && { budgets }) };
    agents.push(personWith(node, (await by.post("/auth/api-keys", body)).body.data.apiKey, owner.id));
  }
  return { owner, gameId, agents };
}

/** Every way to order that takes from the budget at once. */
const methods = [undefined, "credit", "card", "x402"] as const;

/** Sends orders, `atOnce` at a time, each through the node and with the key whose turn it is. Returns the statuses; 0 where none came. */
async function orderAll({ gameId, agents }: Shop, nodes: readonly Node[], count: number): Promise<number[]> {
  const statuses: number[] = [];
  const path = `/games/${gameId}/playtests`;
  let next = 0;
  const one = async () => {
    for (let n = next++; n < count; n = next++) {
      const method = methods[n % methods.length];
      const headers: Record<string, string> = method === undefined ? {} : { "x-payment-method": method };
      const { key } = agents[n % keys]!;
      const reply = nodes[n % nodes.length]!.request("POST", path, { key, body: {}, headers });
      statuses.push(await reply.then(({ status }) => status).catch(() => 0));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return statuses;
}

const spentOf = async ({ owner }: Shop) => (await owner.get("/billing/budgets")).body.data.budgets[0];

afterAll(killLeftovers);

describe.each(places)("budgets on $place", { timeout: 240_000 + orders * 100 }, ({ start }) => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await start();
  });
  afterEach(async () => expect(await ledgerDamage(cluster)).toEqual([]));
  afterAll(() => cluster?.close());

  it(`of ${orders} orders of ${keys} keys, as many are placed as the budget covers`, async () => {
    const shop = await openShop(cluster.nodes[0]!);
    const statuses = await orderAll(shop, cluster.nodes, orders);
    // 503: its commit failed too often and it was not placed, as the answer says.
    const expected = inject("restricted") ? [201, 402, 503] : [201, 402];
    expect(statuses.filter((status) => !expected.includes(status))).toEqual([]);
    expect(statuses.filter((status) => status === 503).length).toBeLessThan(orders / 100);
    expect(await spentOf(shop)).toMatchObject({ spentCents: limitSlots * priceCents, spentSlots: limitSlots });
  });
});

it(
  `budgets: none is exceeded or counted wrongly when a server is killed while ${orders} orders are sent`,
  async () => {
    const location = await drivers.find(({ name }) => name === "postgres")!.location();
    const folder = freshFolder();
    writeFileSync(join(folder, "config.json"), JSON.stringify({ passwords: cheapPasswords }));
    const [kept, killed] = await Promise.all([0, 1].map(() => startProcess(folder, location)));
    const nodes = [kept!, killed!].map(({ baseUrl }) => nodeAt(baseUrl));
    const shop = await openShop(nodes[0]!);
    const sending = orderAll(shop, nodes, orders);
    setTimeout(() => killed!.child.kill("SIGKILL"), 300);
    const statuses = await sending;
    await killed!.ended;
    expect(statuses).toContain(0);
    // What was cut off is either counted and placed, or neither.
    await orderAll(shop, [nodes[0]!], orders);
    expect(await spentOf(shop)).toMatchObject({ spentCents: limitSlots * priceCents, spentSlots: limitSlots });
    const store = await openStore(location.unrestricted);
    const faults = (await store.read(checkLedger)).filter(({ ok }) => !ok);
    await store.close();
    await kept!.stop();
    await location.remove();
    expect(faults).toEqual([]);
  },
  120_000 + orders * 200,
);
