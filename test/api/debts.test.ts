import { expect, test } from "vitest";
import { openTill, type Till } from "../helpers/billing.ts";
import { asking, openWallet, proof } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, firstAdmin, order } from "../helpers/factories.ts";
import { serveWithStripe } from "../helpers/stripe-server.ts";

const day = 24 * 3_600_000;

onBothDatabases("debts", (serve) => {
  /** An owner who pays by Stripe, where the operator refunds payments. */
  async function open() {
    const { stripe, server } = await serveWithStripe(serve);
    const till = await openTill(server);
    const pay = async (checkoutUrl: string) => {
      const page = await fetch(checkoutUrl, { redirect: "manual" });
      const session = page.headers.get("location")!.split("/").at(-1)!;
      stripe.pay(session);
      await stripe.report(server, "checkout.session.completed", session);
      return session;
    };
    const refund = (session: string, cents: number) => stripe.report(server, "charge.refunded", stripe.refund(session, cents));
    const buy = async (cents: number) => pay((await till.buy(cents)).checkoutUrl);
    return { server, till, gameId: await createGame(till.owner), pay, buy, refund };
  }

  const orderByCard = async (till: Till, gameId: string) => {
    const reply = await till.owner.post(`/games/${gameId}/playtests`, {}, { "x-payment-method": "card" });
    return reply.body.data as { playtest: { id: string }; checkoutUrl: string };
  };
  const money = async (till: Till) => [await till.credit(), await till.owedCents()];

  test("credit of cancelled slots first settles what a refunded payment left owing, and cannot be spent again", async () => {
    const { till, gameId, buy, refund } = await open();
    const session = await buy(4000);
    const id = await order(till.owner, gameId, { quantity: 2 });
    await refund(session, 4000);
    expect(await money(till)).toEqual([0, 4000]);
    const { refundedCents } = await till.owner.cancelPlaytest({ params: { id } });
    expect([refundedCents, ...(await money(till))]).toEqual([4000, 0, 0]);
    const again = await till.owner.post(`/games/${gameId}/playtests`, {}, { "x-payment-method": "credit" });
    expect(again.status).toBe(402);
  });

  test("credit of slots beyond what is owed stays", async () => {
    const { till, gameId, buy, refund } = await open();
    const session = await buy(4000);
    const id = await order(till.owner, gameId, { quantity: 2 });
    await refund(session, 1500);
    expect(await money(till)).toEqual([0, 1500]);
    await till.owner.cancelPlaytest({ params: { id } });
    expect(await money(till)).toEqual([2500, 0]);
  });

  test("credit of slots that nobody filled settles what is owed", async () => {
    const { server, till, gameId, buy, refund } = await open();
    const session = await buy(2000);
    await order(till.owner, gameId, { selectionMode: "manual" });
    await refund(session, 2000);
    await server.advance(8 * day);
    expect(await money(till)).toEqual([0, 0]);
  });

  test("hours of cancelled slots first settle those that a refunded plan left owing, and the history says so", async () => {
    const { till, gameId, pay, refund } = await open();
    const plan = await till.owner.checkoutSubscription({ body: { planKey: "indie_monthly" } });
    const session = await pay(plan.checkoutUrl);
    const id = await order(till.owner, gameId, { quantity: 2 });
    await refund(session, 7900);
    expect([await till.minutes(), await till.owedMinutes()]).toEqual([0, 120]);
    await till.owner.cancelPlaytest({ params: { id } });
    expect([await till.minutes(), await till.owedMinutes()]).toEqual([0, 0]);
    const { entries } = (await till.owner.get("/billing/playtest-hours/history")).body.data;
    const settled = entries.filter(({ source }: { source: string }) => source.startsWith("chargeback:settled:"));
    expect(settled).toMatchObject(Array(2).fill({ amountMinutes: -60, note: "Hours owed after a chargeback" }));
  });

  test("a card payment whose order had ended settles what is owed", async () => {
    const { till, gameId, pay, buy, refund } = await open();
    const session = await buy(2000);
    await order(till.owner, gameId);
    await refund(session, 1200);
    const { playtest, checkoutUrl } = await orderByCard(till, gameId);
    await till.owner.cancelPlaytest({ params: { id: playtest.id } });
    await pay(checkoutUrl);
    expect(await money(till)).toEqual([800, 0]);
  });

  test("a card payment of an order that can begin settles nothing", async () => {
    const { till, gameId, pay, buy, refund } = await open();
    const session = await buy(2000);
    await order(till.owner, gameId);
    await refund(session, 1200);
    const { playtest, checkoutUrl } = await orderByCard(till, gameId);
    await pay(checkoutUrl);
    expect(await money(till)).toEqual([0, 1200]);
    expect((await till.owner.getPlaytest({ params: { id: playtest.id } })).playtest.status).toBe("active");
  });

  test("a crypto payment of more than its order, which had ended, settles what is owed with all of it", async () => {
    const till = await openTill(await serve());
    const { owner } = till;
    const { paymentId } = await till.buy(4000);
    await till.complete(paymentId, "paid");
    await till.spend("credit", 4000);
    const gameId = await createGame(owner);
    const path = `/games/${gameId}/playtests`;
    const asked = await owner.post(path, {}, asking());
    const [{ id }] = (await owner.get(path)).body.data.playtests;
    await owner.cancelPlaytest({ params: { id } });
    await till.complete(paymentId, "disputed");
    expect(await money(till)).toEqual([0, 4000]);
    const wallet = await openWallet(till.server, owner);
    const txHash = await wallet.send(asked, { by: 200_000 });
    expect((await owner.post(path, {}, proof(txHash))).status).toBe(409);
    expect(await money(till)).toEqual([0, 1980]);
  });

  test("granted credit settles what is owed", async () => {
    const { server, till, gameId, buy, refund } = await open();
    const session = await buy(2000);
    await order(till.owner, gameId);
    await refund(session, 2000);
    const admin = await firstAdmin(server);
    const body = { amountCents: 2500, note: "Sorry." };
    expect((await admin.grantCredit({ params: { id: till.owner.id }, body })).balanceCents).toBe(500);
    expect(await money(till)).toEqual([500, 0]);
  });
});
