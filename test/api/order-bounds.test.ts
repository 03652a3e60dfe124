import { expect } from "vitest";
import { asking, openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

async function openShop(server: TestServer, cents = 100_000) {
  const owner = await factories.registerOwner(server);
  if (cents > 0) await factories.giveCredit(server, owner, cents);
  const path = `/games/${await factories.createGame(owner)}/playtests`;
  return {
    owner,
    path,
    order: (most: string, body: object = {}, headers = {}) => owner.post(path, body, { "x-max-cost-cents": most, ...headers }),
    orders: async () => (await owner.get(path)).body.data.playtests.length as number,
    balance: async () => (await owner.get("/billing/balance")).body.data.balanceCents as number,
  };
}

onBothDatabases("the most that an order may cost", (_serve, it) => {
  it("an order at that price is placed, and one above it is refused with nothing written", async ({ server }) => {
    const shop = await openShop(server);
    expect((await shop.order("4000", { quantity: 2 })).status).toBe(201);
    const refused = await shop.order("3999", { quantity: 2 });
    expect([refused.status, refused.body.error.code, refused.body.error.message]).toEqual([
      409,
      "CONFLICT",
      "The order costs $40.00, more than the $39.99 that it may cost (X-Max-Cost-Cents). Nothing was ordered or charged.",
    ]);
    expect([await shop.orders(), await shop.balance()]).toEqual([1, 96_000]);
  });

  it.for(["", "-1", "1.5", "many", "12345678901"])("%j is refused", async (most, { server }) => {
    const shop = await openShop(server);
    const refused = await shop.order(most);
    expect([refused.status, refused.body.error.details[0].field]).toEqual([422, "X-Max-Cost-Cents"]);
    expect(await shop.orders()).toBe(0);
  });

  it("holds for what is paid later, by crypto and repeated, and not for what is free", async ({ server }) => {
    const shop = await openShop(server, 0);
    expect((await shop.order("1999")).status).toBe(409);
    expect((await shop.order("1999", {}, asking())).status).toBe(409);
    expect((await shop.order("0", { visibility: "public" })).status).toBe(201);
    const { post } = (await openWallet(server, shop.owner)).owner;
    const key = { "idempotency-key": "one", ...asking() };
    expect((await post(shop.path, {}, key)).status).toBe(402);
    await server.advance(16 * 60_000);
    expect((await shop.order("1999", {}, key)).status).toBe(409);
    expect((await shop.order("2000", {}, key)).status).toBe(402);
    expect(await shop.orders()).toBe(2);
  });

  it("an order above the amount to approve and above the bound asks nobody", async ({ server }) => {
    const shop = await openShop(server);
    const budgets = [{ period: "order", approveOverCents: 1_000 }];
    const made = (await shop.owner.post("/auth/api-keys", { name: "agent", budgets })).body.data;
    const agent = factories.personWith(server, made.apiKey, shop.owner.id);
    expect((await agent.post(shop.path, {}, { "x-max-cost-cents": "1999" })).status).toBe(409);
    expect((await agent.post(shop.path, {}, { "x-max-cost-cents": "2000" })).status).toBe(202);
  });
});
