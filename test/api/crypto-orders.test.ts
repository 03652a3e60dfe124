import { describe, expect } from "vitest";
import { checkLedger } from "../../server/ledger/checks.ts";
import { asking, instructionsOf, openWallet, proof } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveCredit, giveMinutes } from "../helpers/factories.ts";
import type { Reply, TestServer } from "../helpers/server.ts";

const minute = 60_000;
const hour = 60 * minute;

async function openShop(server: TestServer, name = "Lantern Deep") {
  const wallet = await openWallet(server);
  const { owner } = wallet;
  const gameId = await createGame(owner, { name });
  const path = `/games/${gameId}/playtests`;
  return {
    ...wallet,
    gameId,
    path,
    order: (body: object = {}, headers: Record<string, string> = {}) => owner.post(path, body, { ...asking(), ...headers }),
    pay: (txHash: string, body: object = {}, headers: Record<string, string> = {}) =>
      owner.post(path, body, { ...proof(txHash), ...headers }),
    orders: async () => (await owner.get(path)).body.data.playtests as { id: string; status: string }[],
  };
}

const orderOf = (asked: Reply) => instructionsOf(asked).extra.playtestRequestId!;

onBothDatabases("orders paid by crypto", (serve, it) => {
  it("order: gets payment instructions, and is paid by the same request with the transaction", async () => {
    const shop = await openShop(await serve(), "Löwe 🦁");
    const body = { quantity: 2, durationMinutes: 30 };
    const asked = await shop.order(body);
    expect([asked.status, asked.body.error.payment.chain]).toEqual([402, "base"]);
    expect(instructionsOf(asked)).toMatchObject({
      description: "2 × playtest of 30 minutes, 1 player: Löwe 🦁",
      extra: { x402PaymentId: asked.body.error.payment.id, gameId: shop.gameId },
    });
    expect(await shop.orders()).toMatchObject([{ id: orderOf(asked), status: "pending_payment" }]);
    const txHash = await shop.send(asked);
    const paid = [await shop.pay(txHash, body), await shop.pay(txHash, body)];
    for (const reply of paid) {
      expect(reply.status).toBe(201);
      expect(reply.body.data).toMatchObject({
        playtest: { id: orderOf(asked), status: "active" },
        paid: true,
        paidWithCrypto: true,
        totalCents: 3000,
        paymentId: asked.body.error.payment.id,
      });
    }
    expect([await shop.credit(), await shop.received(), (await shop.orders()).length]).toEqual([0, 3000, 1]);
    expect((await shop.owner.listSlots({ params: { id: orderOf(asked) } })).slots).toHaveLength(2);
    expect((await shop.server.deps.store.read(checkLedger)).filter(({ ok }) => !ok)).toEqual([]);
  });

  it("instructions: can be paid no longer than their order waits", async () => {
    const shop = await openShop(await serve({ config: ({ orders }) => Object.assign(orders, { payWithinMs: 5 * minute }) }));
    const asked = await shop.order();
    const until = shop.server.clock.now() + 5 * minute;
    expect(asked.body.error.payment.expiresAt).toBe(new Date(until).toISOString());
  });

  it("idempotency key: the same 402 while the quote is open, paid by X-Payment, then always the same 201", async () => {
    const shop = await openShop(await serve());
    const key = { "idempotency-key": "order-1" };
    const [first, second] = [await shop.order({}, key), await shop.order({}, key)];
    expect([second!.text, second!.headers.get("idempotency-replayed")]).toEqual([first!.text, "true"]);
    const txHash = await shop.send(first!);
    const paid = await shop.pay(txHash, {}, key);
    const again = await shop.pay(txHash, {}, key);
    expect([paid.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([201, paid.text, "true"]);
    expect((await shop.orders()).length).toBe(1);
  });

  it("idempotency key: after the quote expired, the same order gets a new quote", async () => {
    const shop = await openShop(await serve());
    const key = { "idempotency-key": "order-1" };
    const first = await shop.order({}, key);
    await shop.server.advance(15 * minute);
    const second = await shop.order({}, key);
    expect([second.status, orderOf(second)]).toEqual([402, orderOf(first)]);
    expect(second.body.error.payment.id).not.toBe(first.body.error.payment.id);
    expect((await shop.pay(await shop.send(second), {}, key)).status).toBe(201);
    expect(await shop.orders()).toMatchObject([{ id: orderOf(first), status: "active" }]);
  });

  it("idempotency key: after the quote expired, another order under it is refused", async () => {
    const shop = await openShop(await serve());
    const key = { "idempotency-key": "order-1" };
    const body = { quantity: 2, keysForTesters: ["AAAA", "BBBB"] };
    const first = await shop.order(body, key);
    await shop.server.advance(15 * minute);
    const scheduledAt = new Date(shop.server.clock.now() + 48 * hour).toISOString();
    const others = [
      { ...body, quantity: 1, keysForTesters: ["AAAA"] },
      { ...body, keysForTesters: ["AAAA", "CCCC"] },
      { quantity: 2 },
      { ...body, scheduledAt },
      { ...body, notesForTesters: "Play the second level." },
      { ...body, qualifications: "Plays roguelikes." },
      { ...body, targetingType: "new" },
      { ...body, targetingType: "past", pastPlaytesterScope: "any", targetingScope: "game" },
      { ...body, visibility: "public" },
    ];
    for (const other of others) {
      const reply = await shop.order(other, key);
      expect([other, reply.status, reply.body.error.code]).toEqual([other, 422, "IDEMPOTENCY_MISMATCH"]);
    }
    const elsewhere = await createGame(shop.owner, { name: "Another" });
    expect((await shop.owner.post(`/games/${elsewhere}/playtests`, body, { ...asking(), ...key })).status).toBe(422);
    const again = await shop.order(body, key);
    expect([again.status, orderOf(again)]).toEqual([402, orderOf(first)]);
    expect((await shop.pay(await shop.send(again), body, key)).status).toBe(201);
    expect((await shop.orders()).length).toBe(1);
  });

  it("order: the transaction that paid it is answered as before, also after its owner changed it", async () => {
    const shop = await openShop(await serve());
    const asked = await shop.order();
    const txHash = await shop.send(asked);
    expect((await shop.pay(txHash)).status).toBe(201);
    await shop.owner.patch(`/playtests/${orderOf(asked)}`, { notesForTesters: "Play the second level." });
    expect((await shop.pay(txHash)).status).toBe(201);
    expect((await shop.pay(txHash, { qualifications: "Plays roguelikes." })).status).toBe(409);
  });

  it("idempotency key: after the order's time was up, the same order is a new one, although no job has run", async () => {
    const shop = await openShop(await serve());
    const key = { "idempotency-key": "order-1" };
    const first = await shop.order({}, key);
    shop.server.clock.set(shop.server.clock.now() + 24 * hour);
    const second = await shop.order({}, key);
    expect([second.status, second.headers.get("idempotency-replayed")]).toEqual([402, null]);
    expect(orderOf(second)).not.toBe(orderOf(first));
    expect(Date.parse(second.body.error.payment.expiresAt)).toBeGreaterThan(shop.server.clock.now());
    expect((await shop.pay(await shop.send(second), {}, key)).status).toBe(201);
  });

  it("idempotency key: an order that was paid in the background is answered as paid, and is not placed again", async () => {
    const shop = await openShop(await serve());
    const key = { "idempotency-key": "order-1" };
    const asked = await shop.order({}, key);
    expect((await shop.pay(await shop.send(asked, { confirmations: 0 }), {}, { "idempotency-key": "pay-1" })).status).toBe(402);
    await shop.server.advance(hour);
    const again = await shop.order({}, key);
    expect([again.status, again.body.data]).toMatchObject([
      201,
      { playtest: { id: orderOf(asked), status: "active" }, paidWithCrypto: true, paymentId: asked.body.error.payment.id },
    ]);
    expect([await shop.credit(), (await shop.orders()).length]).toEqual([0, 1]);
  });

  it("idempotency key: an order that was paid from credit meanwhile is not placed again", async () => {
    const shop = await openShop(await serve());
    const key = { "idempotency-key": "order-1" };
    const asked = await shop.order({}, key);
    await giveCredit(shop.server, shop.owner, 2000);
    expect((await shop.owner.post(`/playtests/${orderOf(asked)}/pay`, { method: "credit" })).status).toBe(200);
    await shop.server.advance(hour);
    const again = await shop.order({}, key);
    expect([again.status, again.body.error.message]).toEqual([
      409,
      `The order of this idempotency key was paid already: ${orderOf(asked)}. Nothing was ordered or charged.`,
    ]);
    expect((await shop.orders()).length).toBe(1);
  });

  it("underpayment: the quote stays open under its idempotency key", async () => {
    const shop = await openShop(await serve());
    const key = { "idempotency-key": "order-1" };
    const first = await shop.order({}, key);
    const short = await shop.pay(await shop.send(first, { by: -1_000_000 }), {}, key);
    expect([short.status, short.body.error.message]).toEqual([402, expect.stringContaining("1 USDC is missing")]);
    expect((await shop.order({}, key)).body.error.payment).toEqual(first.body.error.payment);
    expect((await shop.pay(await shop.send(first), {}, key)).status).toBe(201);
  });

  it("overpayment: the surplus becomes credit", async () => {
    const shop = await openShop(await serve());
    const asked = await shop.order();
    const reply = await shop.pay(await shop.send(asked, { by: 200_000 }));
    expect([reply.status, reply.body.data.totalCents, await shop.credit()]).toEqual([201, 2000, 20]);
  });

  it.each([
    ["another quantity", { quantity: 2 }],
    ["another duration", { durationMinutes: 120 }],
  ])("payment: %s is refused", async (_, body) => {
    const shop = await openShop(await serve());
    const asked = await shop.order();
    const txHash = await shop.send(asked);
    await shop.order(body);
    expect((await shop.pay(txHash, body)).status).toBe(409);
    expect((await shop.pay(txHash)).status).toBe(201);
  });

  it("payment: refused as a top-up, and for another owner", async ({ server }) => {
    const [shop, other] = [await openShop(server), await openShop(server)];
    const asked = await shop.order();
    await Promise.all([shop.ask(), other.order()]);
    const txHash = await shop.send(asked);
    expect([(await shop.prove(txHash)).status, (await other.pay(txHash)).status]).toEqual([409, 409]);
    expect((await other.owner.post(shop.path, {}, proof(txHash))).status).toBe(404);
    expect((await shop.pay(txHash)).status).toBe(201);
    expect((await other.pay(txHash)).status).toBe(409);
  });

  it("cancelled order: a payment becomes credit, and the reply says so", async () => {
    const shop = await openShop(await serve());
    const asked = await shop.order();
    await shop.owner.cancelPlaytest({ params: { id: orderOf(asked) } });
    const txHash = await shop.send(asked);
    for (const reply of [await shop.pay(txHash), await shop.pay(txHash)])
      expect([reply.status, reply.body.error.message]).toEqual([409, expect.stringContaining("credited to your account")]);
    expect(await shop.credit()).toBe(2000);
  });

  it("expired order whose time was up: a payment becomes credit, although no job has run", async () => {
    const shop = await openShop(await serve());
    const asked = await shop.order();
    const txHash = await shop.send(asked);
    shop.server.clock.set(shop.server.clock.now() + 24 * 60 * minute);
    expect((await shop.pay(txHash)).status).toBe(409);
    expect([await shop.credit(), await shop.orders()]).toEqual([2000, [expect.objectContaining({ status: "cancelled" })]]);
  });

  it("waiting transaction: the order is activated in the background when it is final", async () => {
    const shop = await openShop(await serve());
    const asked = await shop.order();
    expect((await shop.pay(await shop.send(asked, { confirmations: 0 }))).status).toBe(402);
    await shop.server.advance(5 * minute);
    expect(await shop.orders()).toMatchObject([{ id: orderOf(asked), status: "active" }]);
  });

  it("concurrent payments: the order is paid once", async () => {
    const shop = await openShop(await serve());
    const txHash = await shop.send(await shop.order());
    const replies = await Promise.all(Array.from({ length: 8 }, () => shop.pay(txHash)));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect([await shop.credit(), (await shop.orders()).length]).toEqual([0, 1]);
  });

  it("hours or credit that cover the order: are used first", async () => {
    const shop = await openShop(await serve());
    await giveCredit(shop.server, shop.owner, 2000);
    expect((await shop.order()).body.data.paidWithCredit).toBe(true);
    await giveMinutes(shop.server, shop.owner, 60);
    expect((await shop.order()).body.data.paidWithPlaytestHours).toBe(true);
  });

  describe("pay later", () => {
    const placed = async (server: TestServer) => {
      const shop = await openShop(server);
      const id: string = (await shop.owner.post(shop.path, {})).body.data.playtest.id;
      const pay = (headers: Record<string, string> = {}) => shop.owner.post(`/playtests/${id}/pay`, { method: "x402" }, headers);
      return { ...shop, id, payLater: pay };
    };

    it("in two requests", async () => {
      const shop = await placed(await serve());
      const asked = await shop.payLater();
      expect([asked.status, orderOf(asked)]).toEqual([402, shop.id]);
      expect((await shop.payLater()).body.error.payment).toEqual(asked.body.error.payment);
      const txHash = await shop.send(asked);
      const paid = [await shop.payLater(proof(txHash)), await shop.payLater(proof(txHash))];
      for (const reply of paid) {
        expect(reply.status).toBe(200);
        expect(reply.body.data).toMatchObject({
          paidWithCrypto: true,
          totalCents: 2000,
          playtest: { id: shop.id, status: "active" },
        });
      }
      expect((await shop.payLater()).status).toBe(409);
    });

    it("with a chosen currency and chain", async () => {
      const shop = await placed(await serve());
      const asked = await shop.payLater({ "x-payment-chain": "solana", "x-payment-currency": "SOL" });
      expect(asked.body.error.payment).toMatchObject({ chain: "solana", currency: "SOL" });
      expect((await shop.payLater(proof(await shop.send(asked), "solana", "SOL"))).status).toBe(200);
    });

    it("twice: the second payment becomes credit, and the reply does not ask to order again", async () => {
      const shop = await placed(await serve());
      const [first, second] = [await shop.payLater(), await shop.payLater(asking("ethereum"))];
      const [txHash, other] = [await shop.send(first), await shop.send(second)];
      expect((await shop.payLater(proof(txHash))).status).toBe(200);
      for (const reply of [await shop.payLater(proof(other, "ethereum")), await shop.payLater(proof(other, "ethereum"))])
        expect([reply.status, reply.body.error.message]).toEqual([
          409,
          "The order had already been paid. The amount was credited to your account. Do not place the order again.",
        ]);
      expect([await shop.credit(), await shop.orders()]).toEqual([
        2000,
        [expect.objectContaining({ id: shop.id, status: "active" })],
      ]);
    });

    it("is refused after the order expired", async () => {
      const shop = await placed(await serve());
      await shop.server.advance(24 * hour);
      expect((await shop.payLater()).status).toBe(409);
    });
  });

  it("no chain configured: the order is refused and nothing is ordered", async () => {
    const server = await serve({ config: (config) => Object.assign(config, { sandbox: false }) });
    const shop = await openShop(server);
    expect((await shop.order()).status).toBe(503);
    expect(await shop.orders()).toEqual([]);
  });
});
