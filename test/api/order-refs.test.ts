import { expect } from "vitest";
import { asking, openWallet, proof } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, registerOwner } from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

const day = 24 * 3_600_000;

async function openShop(server: TestServer) {
  const owner = await registerOwner(server);
  await giveCredit(server, owner, 100_000);
  const gameId = await createGame(owner);
  const path = `/games/${gameId}/playtests`;
  return {
    owner,
    gameId,
    order: (body: object = {}, headers: Record<string, string> = {}) => owner.post(path, body, headers),
    orders: async () => (await owner.get(path)).body.data.playtests as { id: string; ref: string | null; status: string }[],
    balance: async () => (await owner.get("/billing/balance")).body.data.balanceCents as number,
    find: async (...refs: string[]) => (await owner.post("/playtests/by-ref", { refs })).body.data.playtests,
  };
}

onBothDatabases("the ref of an order", (serve, it) => {
  it("is shown wherever the order is", async () => {
    const shop = await openShop(await serve());
    const { playtest } = (await shop.order({ ref: "a1" })).body.data;
    await shop.order();
    expect(playtest.ref).toBe("a1");
    expect((await shop.owner.get(`/playtests/${playtest.id}`)).body.data.playtest.ref).toBe("a1");
    expect((await shop.orders()).map(({ ref }) => ref)).toEqual([null, "a1"]);
    const changed = await shop.owner.patch(`/playtests/${playtest.id}`, { notesForTesters: "Loud" });
    expect(changed.body.data.playtest).toMatchObject({ ref: "a1", notesForTesters: "Loud" });
  });

  it.each([
    ["the same order", {}],
    ["another note", { notesForTesters: "Loud" }],
    ["a free order", { visibility: "public" }],
    ["the free trial", { isFreePublicTrial: true }],
  ])("refuses a second order with it: %s", async (_, body) => {
    const shop = await openShop(await serve());
    const { id } = (await shop.order({ ref: "a1" })).body.data.playtest;
    const second = await shop.order({ ref: "a1", ...body });
    expect(second.status).toBe(409);
    expect(second.body.error).toMatchObject({ code: "CONFLICT", details: [{ field: "ref", message: "is already used" }] });
    expect(second.body.error.message).toBe(
      `The ref "a1" is already used by the order ${id} (active). Nothing was ordered or charged. For another order, use another ref.`,
    );
    expect([(await shop.orders()).length, await shop.balance()]).toEqual([1, 98_000]);
  });

  it("belongs to the account: another game of it is refused, another account is not", async ({ server }) => {
    const [shop, other] = [await openShop(server), await openShop(server)];
    await shop.order({ ref: "a1" });
    const second = await createGame(shop.owner, { name: "Two" });
    expect((await shop.owner.post(`/games/${second}/playtests`, { ref: "a1" })).status).toBe(409);
    expect([(await other.order({ ref: "a1" })).status, (await shop.order({ ref: "A1" })).status]).toEqual([201, 201]);
    expect((await other.find("a1")).map(({ gameId }: { gameId: string }) => gameId)).toEqual([other.gameId]);
  });

  it("replays under the same idempotency key, and after a day is refused instead of ordered again", async ({ server }) => {
    const shop = await openShop(server);
    const key = { "idempotency-key": "k" };
    const [first, second] = [await shop.order({ ref: "a1" }, key), await shop.order({ ref: "a1" }, key)];
    expect([second.status, second.text, second.headers.get("idempotency-replayed")]).toEqual([201, first.text, "true"]);
    await server.advance(day + 1);
    expect((await shop.order({ ref: "a1" }, key)).status).toBe(409);
    expect(await shop.balance()).toBe(98_000);
  });

  it.each(["credit", "card", "x402"])("of orders placed at the same time, one is ordered: %s", async (method) => {
    const server = await serve();
    const shop = await openShop(server);
    const headers = { "x-payment-method": method };
    const broke = method === "x402" ? await registerOwner(server) : shop.owner;
    const path = `/games/${broke === shop.owner ? shop.gameId : await createGame(broke)}/playtests`;
    const replies = await Promise.all(Array.from({ length: 6 }, () => broke.post(path, { ref: "a1" }, headers)));
    const done = method === "x402" ? 402 : 201;
    expect(replies.map(({ status }) => status).sort()).toEqual([done, 409, 409, 409, 409, 409].sort());
    expect((await broke.get(path)).body.data.playtests).toHaveLength(1);
    expect(replies.find(({ status }) => status === 409)!.body.error.message).toContain('The ref "a1" is already used by ');
  });

  it("is free again once the order is cancelled or was never paid", async ({ server }) => {
    const shop = await openShop(server);
    const { id } = (await shop.order({ ref: "a1" })).body.data.playtest;
    await shop.owner.post(`/playtests/${id}/cancel`);
    expect(await shop.find("a1")).toMatchObject([{ id, status: "cancelled" }]);
    const second = await shop.order({ ref: "a1" }, { "x-payment-method": "card" });
    expect(second.body.data.playtest.status).toBe("pending_payment");
    expect((await shop.order({ ref: "a1" })).status).toBe(409);
    await server.advance(2 * day);
    const third = await shop.order({ ref: "a1" });
    expect([third.status, await shop.balance()]).toEqual([201, 98_000]);
    expect(await shop.find("a1")).toMatchObject([{ id: third.body.data.playtest.id, status: "active" }]);
  });

  it("belongs to an order paid by crypto as to any other, and its payment needs no second order", async ({ server }) => {
    const wallet = await openWallet(server);
    const path = `/games/${await createGame(wallet.owner)}/playtests`;
    const asked = await wallet.owner.post(path, { ref: "a1" }, asking());
    expect([asked.status, (await wallet.owner.post(path, { ref: "a1" }, asking())).status]).toEqual([402, 409]);
    const txHash = await wallet.send(asked);
    expect((await wallet.owner.post(path, { ref: "a2" }, proof(txHash))).status).toBe(409);
    const paid = await wallet.owner.post(path, { ref: "a1" }, proof(txHash));
    expect(paid.body.data.playtest).toMatchObject({ ref: "a1", status: "active" });
  });

  it("is found by name, in one request for many", async () => {
    const shop = await openShop(await serve());
    for (const ref of ["a1", "b/2", "Löwe 🦁"]) await shop.order({ ref, quantity: 2 });
    const found = await shop.find("Löwe 🦁", "a1", "missing");
    expect(found.map(({ ref }: { ref: string }) => ref).sort()).toEqual(["Löwe 🦁", "a1"].sort());
    expect(found[0]).toMatchObject({ quantity: 2, slots: { open: 2 } });
  });

  it("is one name however its accents are encoded", async () => {
    const shop = await openShop(await serve());
    const [composed, decomposed] = ["L\u00f6we", "Lo\u0308we"];
    expect((await shop.order({ ref: decomposed })).body.data.playtest.ref).toBe(composed);
    expect((await shop.order({ ref: composed })).status).toBe(409);
    expect((await shop.find(decomposed)).length).toBe(1);
  });

  it("is not needed for a price", async () => {
    const shop = await openShop(await serve());
    await shop.order({ ref: "a1" });
    expect((await shop.owner.post("/playtests/quote", { ref: "a1" })).status).toBe(200);
  });

  it.each(["", "  ", " a1", "a1\n", "x".repeat(101), 5])("refuses %j as one", async (ref) => {
    const shop = await openShop(await serve());
    const reply = await shop.order({ ref });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, "ref"]);
    expect(await shop.orders()).toEqual([]);
  });
});
