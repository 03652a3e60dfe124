import { expect, test } from "vitest";
import { openCheckout } from "../../server/billing/payments.ts";
import * as payments from "../../server/billing/store.ts";
import { flagPayment, goodCard, openTill, submit, type Till } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, firstAdmin, registerOwner } from "../helpers/factories.ts";

const hour = 3_600_000;

onBothDatabases("card payments", (serve) => {
  test("top-up: pending until the card is charged, then credited once, with an event", async () => {
    const till = await openTill(await serve());
    const bought = await till.buy(2500, "https://shop.example/back?order=7%20a#top");
    expect(await till.payment(bought.paymentId)).toMatchObject({
      amountCents: 2500,
      status: "pending",
      provider: "sandbox",
      externalId: expect.stringMatching(/^cs_[0-9a-f]{32}$/),
    });
    expect(await till.credit()).toBe(0);
    const paid = await submit(bought.checkoutUrl, goodCard);
    expect([paid.status, paid.headers.get("location")]).toEqual([
      303,
      `https://shop.example/back?order=7%20a&payment_id=${bought.paymentId}&status=success#top`,
    ]);
    expect(await till.credit()).toBe(2500);
    expect(await till.payment(bought.paymentId)).toMatchObject({ status: "completed" });
    expect(await till.events("payment.completed")).toEqual([
      { paymentId: bought.paymentId, amountCents: 2500, status: "completed", provider: "sandbox" },
    ]);
    const list = await till.owner.listPayments();
    expect(list.payments).toEqual([await till.payment(bought.paymentId)]);
  });

  test.each([1999, 1_000_001, 2000.5, "2000", null, true, -1])("top-up: amount %j is refused", async (amountCents) => {
    const till = await openTill(await serve());
    const reply = await till.owner.post("/billing/credit", { amountCents });
    expect([reply.status, reply.body.error.details[0].field]).toEqual([422, "amountCents"]);
  });

  test.each([2000, 1_000_000])("top-up: amount %j is accepted", async (amountCents) => {
    const till = await openTill(await serve());
    expect((await till.buy(amountCents)).amountCents).toBe(amountCents);
  });

  test.each([
    ["http://shop.example/back", 422],
    ["http://127.0.0.1.shop.example/back", 422],
    ["javascript:alert(1)", 422],
    ["https://shop.example/back", 200],
    ["http://localhost:3000/back", 200],
    ["http://127.1:8080/", 200],
    ["http://[::1]:8080/", 200],
  ])("top-up: return address %s gets %i", async (returnUrl, status) => {
    const till = await openTill(await serve());
    const reply = await till.owner.post("/billing/credit", { amountCents: 2000, returnUrl });
    expect(reply.status).toBe(status);
    if (status === 422) expect(reply.body.error.details[0].field).toBe("returnUrl");
  });

  test("checkout: five clicks and five processor reports at once are one payment", async () => {
    const till = await openTill(await serve());
    const { checkoutUrl, paymentId } = await till.buy();
    const clicks = Array.from({ length: 5 }, () => submit(checkoutUrl, goodCard));
    const reports = Array.from({ length: 5 }, () => till.complete(paymentId, "paid"));
    const statuses = [...(await Promise.all(clicks)), ...(await Promise.all(reports))].map((reply) => reply.status);
    expect(statuses.slice(0, 5)).toEqual([303, 303, 303, 303, 303]);
    expect(statuses.slice(5).filter((status) => status === 200).length).toBeLessThanOrEqual(1);
    expect(await till.credit()).toBe(2000);
    expect(await till.events("payment.completed")).toHaveLength(1);
  });

  test("checkout: a payment that the processor reports as declined has failed, once, and takes no other card", async () => {
    const till = await openTill(await serve());
    const { checkoutUrl, paymentId } = await till.buy();
    for (const _ of [1, 2]) await till.complete(paymentId, "declined");
    expect([await till.credit(), (await till.payment(paymentId)).status]).toEqual([0, "failed"]);
    expect(await till.events("payment.failed")).toMatchObject([{ paymentId, status: "failed" }]);
    await submit(checkoutUrl, goodCard);
    expect([await till.credit(), (await till.payment(paymentId)).status]).toEqual([0, "failed"]);
  });

  test("checkout: a declined card charges nothing and leaves the payment open for another card", async () => {
    const till = await openTill(await serve());
    const { checkoutUrl, paymentId } = await till.buy(2000, "https://shop.example/");
    for (const _ of [1, 2]) {
      const declined = await submit(checkoutUrl, { ...goodCard, number: "4000-0000-0000-0002" });
      expect([declined.status, await declined.text()]).toEqual([402, expect.stringContaining("Nothing was charged. Try again")]);
    }
    expect([await till.credit(), (await till.payment(paymentId)).status]).toEqual([0, "pending"]);
    expect(await till.events("payment.failed")).toEqual([]);
    await submit(checkoutUrl, goodCard);
    expect([await till.credit(), (await till.payment(paymentId)).status]).toEqual([2000, "completed"]);
    // The declined card's form, sent once more after the payment, changes nothing.
    const late = await submit(checkoutUrl, { ...goodCard, number: "4000-0000-0000-0002" });
    expect(late.headers.get("location")).toBe(`https://shop.example/?payment_id=${paymentId}&status=success`);
    await submit(checkoutUrl, goodCard);
    expect([await till.credit(), await till.flag(paymentId)]).toEqual([2000, null]);
  });

  test.each([
    ["an unknown card", { ...goodCard, number: "5555555555554444" }],
    ["a word for a card", { ...goodCard, number: "constructor" }],
    ["a month that is over", { ...goodCard, expiry: "02/26" }],
    ["no security code", { ...goodCard, cvc: "" }],
  ])("checkout: %s is shown as invalid and charges nothing", async (_name, form) => {
    const till = await openTill(await serve());
    const { checkoutUrl, paymentId } = await till.buy();
    const page = await submit(checkoutUrl, form);
    const text = await page.text();
    expect([page.status, text]).toEqual([422, expect.stringContaining('aria-invalid="true"')]);
    expect(text).not.toContain(form.number === goodCard.number ? 'value="4242' : form.number);
    expect((await till.payment(paymentId)).status).toBe("pending");
  });

  test("checkout: a cancelled one returns as cancelled, and stays cancelled", async () => {
    const till = await openTill(await serve());
    const { checkoutUrl, paymentId } = await till.buy(2000, "https://shop.example/back");
    const cancelled = await submit(`${checkoutUrl}/cancel`);
    expect(cancelled.headers.get("location")).toBe(`https://shop.example/back?payment_id=${paymentId}&status=cancelled`);
    expect([(await till.payment(paymentId)).status, await till.credit()]).toEqual(["cancelled", 0]);
    expect((await till.complete(paymentId, "paid")).status).toBe(409);
    await till.server.advance(25 * hour);
    expect((await till.complete(paymentId, "paid")).status).toBe(409);
  });

  test("checkout: the page lets its form redirect only to the return address, and shows no card afterwards", async () => {
    const till = await openTill(await serve());
    const { checkoutUrl } = await till.buy(123_456, "https://shop.example/back");
    const page = await fetch(checkoutUrl);
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https://shop.example;");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(await page.text()).toContain("$1,234.56");
    expect((await fetch(`${checkoutUrl}x`)).status).toBe(404);
    await submit(checkoutUrl, goodCard);
    const log = till.server.lines.join("\n");
    expect(log).toContain("/checkout/:token");
    expect(log).not.toMatch(new RegExp(`4242|${checkoutUrl.split("/").at(-1)}`));
    const dump = await till.server.deps.store.read((q) => q.all("SELECT * FROM payments"));
    expect(JSON.stringify(dump)).not.toMatch(/4242/);
  });

  test("checkout: expires after 24 hours to the millisecond, and a later success is credited once and flagged", async () => {
    const till = await openTill(await serve());
    const { checkoutUrl, paymentId } = await till.buy();
    till.server.clock.set(till.server.clock.now() + 24 * hour - 1);
    expect((await till.payment(paymentId)).status).toBe("pending");
    till.server.clock.set(till.server.clock.now() + 1);
    expect((await till.payment(paymentId)).status).toBe("cancelled");
    expect((await fetch(checkoutUrl)).status).toBe(410);
    await submit(checkoutUrl, goodCard);
    expect(await till.credit()).toBe(0);
    await till.server.advance(0);
    expect((await till.complete(paymentId, "declined")).status).toBe(409);
    expect((await till.complete(paymentId, "paid")).body.data.payment.status).toBe("completed");
    expect([await till.credit(), await till.flag(paymentId)]).toEqual([
      2000,
      "paid after the checkout had expired; it was completed all the same",
    ]);
    expect((await till.complete(paymentId, "paid")).status).toBe(409);
    expect(await till.credit()).toBe(2000);
  });

  test("dispute: one above the balance leaves zero and a receivable, which the next top-up settles first", async () => {
    const till = await openTill(await serve());
    const first = await till.buy(5000);
    expect((await till.complete(first.paymentId, "disputed")).status).toBe(409);
    await till.complete(first.paymentId, "paid");
    await till.spend("credit", 3000);
    expect((await till.complete(first.paymentId, "disputed")).body.data.payment.status).toBe("disputed");
    expect([await till.credit(), await till.owedCents()]).toEqual([0, 3000]);
    expect((await till.complete(first.paymentId, "disputed")).status).toBe(409);
    const small = await till.buy(2000);
    await till.complete(small.paymentId, "paid");
    expect([await till.credit(), await till.owedCents()]).toEqual([0, 1000]);
    const large = await till.buy(4000);
    await till.complete(large.paymentId, "paid");
    expect([await till.credit(), await till.owedCents()]).toEqual([3000, 0]);
  });

  test("dispute: the disputing test card pays, and is charged back a day later", async () => {
    const till = await openTill(await serve());
    const { checkoutUrl, paymentId } = await till.buy();
    await submit(checkoutUrl, { ...goodCard, number: "4000000000000259" });
    expect([await till.credit(), (await till.payment(paymentId)).status]).toEqual([2000, "completed"]);
    await till.server.advance(24 * hour);
    expect([await till.credit(), (await till.payment(paymentId)).status]).toEqual([0, "disputed"]);
  });

  test("another account's payment: 404 like an unknown one", async () => {
    const till = await openTill(await serve());
    const { paymentId } = await till.buy();
    const other = await registerOwner(till.server);
    const foreign = await other.get(`/billing/payments/${paymentId}`);
    const unknown = await other.get(`/billing/payments/${till.server.deps.newId()}`);
    expect([foreign.status, foreign.body.error]).toEqual([404, unknown.body.error]);
  });

  test("new account: plans, hours and history", async () => {
    const till = await openTill(await serve());
    const plans = await till.owner.listPlans();
    expect(plans.configured).toBe(true);
    expect(
      plans.plans.map((plan: { key: string; priceCents: number; hoursPerCycle: number; pricePerHourCents: number }) => [
        plan.key,
        plan.priceCents,
        plan.hoursPerCycle,
        plan.pricePerHourCents,
      ]),
    ).toEqual([
      ["indie_monthly", 7900, 5, 1580],
      ["indie_yearly", 79_000, 60, 1317],
      ["studio_monthly", 37_900, 25, 1516],
      ["studio_yearly", 379_000, 300, 1263],
    ]);
    const hours = await till.owner.getPlaytestHours();
    expect(hours).toEqual({ balanceMinutes: 0, balanceHours: 0 });
    const history = await till.owner.get("/billing/playtest-hours/history");
    expect([history.body.data, history.body.meta.hasMore]).toEqual([{ entries: [] }, false]);
  });

  test("without a card processor: plans say so and the checkout is refused with what to do", async () => {
    const server = await serve({
      config: (config) => {
        config.sandbox = false;
      },
    });
    const owner = await registerOwner(server);
    expect((await owner.listPlans()).configured).toBe(false);
    const refused = await owner.post("/billing/credit", { amountCents: 2000 });
    expect([refused.status, refused.body.error.code]).toEqual([503, "NOT_CONFIGURED"]);
    expect(refused.body.error.message).toContain("playtest admin grant");
    expect((await owner.post(`/sandbox/payments/${owner.id}/complete`, { outcome: "paid" })).status).toBe(404);
  });
});

onBothDatabases("orders paid by card", (serve) => {
  const orderByCard = async (till: Till) => {
    const gameId = await createGame(till.owner);
    const reply = await till.owner.createPlaytest({
      params: { gameId },
      body: { quantity: 2 },
      headers: { "X-Payment-Method": "card" },
    });
    const playtestId: string = reply.playtest.id;
    const { deps } = till.server;
    const checkout = {
      ownerId: till.owner.id,
      amountCents: 4000,
      purpose: "order",
      playtestId,
      description: "Two slots",
    } as const;
    const { payment } = await deps.store.write((tx) => openCheckout(deps, tx, checkout));
    return { playtestId, paymentId: payment.id };
  };
  const statusOf = async (till: Till, id: string) => (await till.owner.getPlaytest({ params: { id } })).playtest.status;

  test("payment: passes through credit into the order, which becomes active", async () => {
    const till = await openTill(await serve());
    const { playtestId, paymentId } = await orderByCard(till);
    await till.complete(paymentId, "paid");
    expect([await statusOf(till, playtestId), await till.credit()]).toEqual(["active", 0]);
    expect(await till.flag(paymentId)).toBeNull();
  });

  test("cancelled order: a later payment stays as credit, and is flagged", async () => {
    const till = await openTill(await serve());
    const { playtestId, paymentId } = await orderByCard(till);
    await till.owner.cancelPlaytest({ params: { id: playtestId } });
    await till.complete(paymentId, "paid");
    expect([await statusOf(till, playtestId), await till.credit()]).toEqual(["cancelled", 4000]);
    const reason = "the order had ended, or had been paid before, when it was paid; the amount was credited";
    const admin = await firstAdmin(till.server);
    const flagged = async () => (await admin.get("/admin/flagged-payments")).body.data.payments;
    const waiting = async () =>
      (await admin.get("/inbox")).body.data.items.find(({ kind }: { kind: string }) => kind === "flaggedPayments");
    expect(await flagged()).toMatchObject([
      { id: paymentId, userId: till.owner.id, amountCents: 4000, status: "completed", reason },
    ]);
    expect(await waiting()).toMatchObject({ count: 1, firstId: paymentId });
    const clear = () => admin.post(`/admin/payments/${paymentId}/clear-flag`, { note: "told the owner" });
    expect([(await clear()).status, await flagged(), await waiting()]).toMatchObject([200, [], { count: 0 }]);
    expect((await clear()).body.error).toMatchObject({
      code: "CONFLICT",
      message: expect.stringContaining("Nothing was changed"),
    });
    expect((await till.owner.get("/admin/flagged-payments")).status).toBe(403);
    await till.complete(paymentId, "disputed");
    expect(await flagged()).toEqual([]);
    await till.server.deps.store.write((tx) => payments.flag(tx, paymentId, reason, tx.now));
    expect(await flagged()).toEqual([]);
    await flagPayment(till.server, paymentId);
    expect(await flagged()).toMatchObject([{ reason: `${reason}; refund re_1 failed: the amount is back at the processor` }]);
  });

  test("expired order: a payment when the order's time is up stays as credit, although no job has run", async () => {
    const till = await openTill(await serve());
    const { playtestId, paymentId } = await orderByCard(till);
    till.server.clock.set(till.server.clock.now() + 24 * hour);
    await till.complete(paymentId, "paid");
    expect([await statusOf(till, playtestId), await till.credit()]).toEqual(["cancelled", 4000]);
  });
});
