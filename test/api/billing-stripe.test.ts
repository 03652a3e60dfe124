import { describe, expect, test } from "vitest";
import { disputePayment } from "../../server/billing/cards/disputes.ts";
import { createStripeCards } from "../../server/billing/cards/stripe.ts";
import { find } from "../../server/billing/store.ts";
import { openTill, submit, type Till } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { pageFacts } from "../helpers/page-facts.ts";
import { visitor } from "../helpers/portal.ts";
import { type StripeStandIn, secretKey, webhookSecret } from "../helpers/stripe.ts";
import { serveWithStripe } from "../helpers/stripe-server.ts";

const hour = 3_600_000;
const day = 24 * hour;
const follow = (url: string) => fetch(url, { redirect: "manual" });

onBothDatabases("cards by Stripe", (serve) => {
  async function open() {
    const { stripe, server } = await serveWithStripe(serve);
    return { stripe, server, till: await openTill(server) };
  }

  /** Buys credit and opens Stripe's page for it, as a browser does. */
  async function visit(till: Till, returnUrl?: string) {
    const bought = await till.buy(2000, returnUrl);
    const page = await follow(bought.checkoutUrl);
    const session = page.headers.get("location")!.split("/").at(-1)!;
    return { ...bought, session };
  }

  async function subscribe(till: Till, stripe: StripeStandIn, card?: string) {
    const reply = await till.owner.checkoutSubscription({ body: { planKey: "indie_monthly" } });
    const page = await follow(reply.checkoutUrl);
    const session = page.headers.get("location")!.split("/").at(-1)!;
    stripe.pay(session, card);
    await stripe.report(till.server, "checkout.session.completed", session);
    return { session, subscriptionId: reply.subscriptionId as string };
  }
  const statusOf = async (till: Till) => (await till.owner.getSubscription()).subscription!.status;

  test("checkout: opens one Stripe session with the purchase and the return address", async () => {
    const { stripe, till } = await open();
    const { checkoutUrl, paymentId, session } = await visit(till);
    const again = await Promise.all([follow(checkoutUrl), follow(checkoutUrl)]);
    expect(again.map((page) => page.headers.get("location"))).toEqual(
      Array(2).fill(`https://checkout.stripe.example/${session}`),
    );
    expect([...stripe.sessions.keys()]).toEqual([session]);
    expect(stripe.sessions.get(session)!.asked).toMatchObject({
      mode: "payment",
      client_reference_id: paymentId,
      customer_email: "game_owner1@example.com",
      "line_items[0][price_data][unit_amount]": "2000",
      "payment_intent_data[metadata][paymentId]": paymentId,
      success_url: `${checkoutUrl}/done`,
      cancel_url: `${checkoutUrl}/left`,
    });
    expect(await till.payment(paymentId)).toMatchObject({ provider: "stripe", status: "pending", externalId: session });
  });

  test("webhook: success reported five times at once, and again under other ids, is credited once", async () => {
    const { stripe, server, till } = await open();
    const { paymentId, session } = await visit(till);
    stripe.pay(session);
    const kinds = ["completed", "completed", "async_payment_succeeded", "completed", "expired"];
    const reports = kinds.map((kind, index) =>
      stripe.report(server, `checkout.session.${kind}`, session, { id: index < 2 ? "evt_same" : `evt_${kind}${index}` }),
    );
    expect(await Promise.all(reports)).toEqual([200, 200, 200, 200, 200]);
    expect([await till.credit(), (await till.payment(paymentId)).status]).toEqual([2000, "completed"]);
    expect(await till.events("payment.completed")).toHaveLength(1);
    expect(await till.flag(paymentId)).toBeNull();
  });

  test("webhook: an event older than the state of the payment changes nothing", async () => {
    const { stripe, server, till } = await open();
    const { paymentId, session } = await visit(till);
    expect(await stripe.report(server, "checkout.session.completed", session)).toBe(200);
    expect([await till.credit(), (await till.payment(paymentId)).status]).toEqual([0, "pending"]);
  });

  test.each([
    ["signed with another secret", { secret: "whsec_other" }],
    ["changed on the way", { tamper: true }],
    ["ten minutes old", { ageSeconds: 600 }],
  ])("webhook: a report %s is refused", async (_name, options) => {
    const { stripe, server, till } = await open();
    const { session } = await visit(till);
    stripe.pay(session);
    expect(await stripe.report(server, "checkout.session.completed", session, options)).toBe(400);
    expect(await till.credit()).toBe(0);
  });

  test("return from the checkout: shows the payment as paid before the webhook arrives", async () => {
    const { stripe, till } = await open();
    const { checkoutUrl, paymentId, session } = await visit(till, "https://shop.example/");
    const early = await follow(`${checkoutUrl}/done`);
    expect([early.status, await early.text()]).toEqual([202, expect.stringContaining("not confirmed the payment yet")]);
    stripe.pay(session);
    const back = await follow(`${checkoutUrl}/done`);
    expect(back.headers.get("location")).toBe(`https://shop.example/?payment_id=${paymentId}&status=success`);
    expect(await till.credit()).toBe(2000);
  });

  test("checkout: going back changes nothing; cancelling ends the Stripe session", async () => {
    const { stripe, till } = await open();
    const { checkoutUrl, paymentId, session } = await visit(till, "https://shop.example/");
    const left = await follow(`${checkoutUrl}/left`);
    expect([left.status, await left.text()]).toEqual([200, expect.stringContaining("Nothing was charged")]);
    expect((await till.payment(paymentId)).status).toBe("pending");
    const cancelled = await submit(`${checkoutUrl}/cancel`);
    expect(cancelled.headers.get("location")).toContain("status=cancelled");
    expect([stripe.sessions.get(session)!.status, (await till.payment(paymentId)).status]).toEqual(["expired", "cancelled"]);
  });

  test("checkout: cancelling after the payment leaves it paid", async () => {
    const { stripe, till } = await open();
    const { checkoutUrl, session } = await visit(till, "https://shop.example/");
    stripe.pay(session);
    const reply = await submit(`${checkoutUrl}/cancel`);
    expect([reply.headers.get("location"), await till.credit()]).toEqual([expect.stringContaining("status=success"), 2000]);
  });

  test("expired checkout: Stripe is asked once more; a payment counts, otherwise the session is closed", async () => {
    const { stripe, server, till } = await open();
    const [paid, unpaid] = [await visit(till), await visit(till)];
    const unvisited = await till.buy(2000);
    stripe.pay(paid.session);
    await server.advance(day);
    const statuses = await Promise.all(
      [paid, unpaid, unvisited].map(async ({ paymentId }) => (await till.payment(paymentId)).status),
    );
    expect(statuses).toEqual(["completed", "cancelled", "cancelled"]);
    expect(stripe.sessions.get(unpaid.session)!.status).toBe("expired");
    expect([await till.credit(), await till.flag(paid.paymentId)]).toEqual([
      2000,
      "paid after the checkout had expired; it was completed all the same",
    ]);
  });

  test("checkout page: can be opened in the last minute, for the first time or again", async () => {
    const { stripe, server, till } = await open();
    const [visited, unvisited] = [await visit(till), await till.buy(2000)];
    server.clock.set(server.clock.now() + day - 1000);
    const again = await follow(visited.checkoutUrl);
    expect(again.headers.get("location")).toBe(`https://checkout.stripe.example/${visited.session}`);
    expect((await follow(unvisited.checkoutUrl)).status).toBe(303);
    expect(stripe.sessions.size).toBe(2);
  });

  test("webhook: another amount than requested is not credited, and is flagged", async () => {
    const { stripe, server, till } = await open();
    const { paymentId, session } = await visit(till);
    stripe.pay(session);
    stripe.sessions.get(session)!.amount_total = 1;
    expect(await stripe.report(server, "checkout.session.completed", session)).toBe(200);
    expect([await till.credit(), await till.flag(paymentId)]).toEqual([0, expect.stringContaining("paid 1 usd")]);
    expect(server.errors.splice(0)).toHaveLength(1);
  });

  test("dispute: one reported before its payment is found and reverses it", async () => {
    const { stripe, server, till } = await open();
    const { paymentId, session } = await visit(till);
    stripe.pay(session);
    const dispute = stripe.dispute(session, "needs_response");
    await stripe.report(server, "charge.dispute.created", dispute);
    expect([(await till.payment(paymentId)).status, await till.credit(), await till.owedCents()]).toEqual(["disputed", 0, 0]);
    await stripe.report(server, "checkout.session.completed", session);
    expect([(await till.payment(paymentId)).status, await till.credit()]).toEqual(["disputed", 0]);
  });

  test("dispute: a won one restores the money once; an inquiry takes nothing", async () => {
    const { stripe, server, till } = await open();
    const { paymentId, session } = await visit(till);
    stripe.pay(session);
    await stripe.report(server, "checkout.session.completed", session);
    await till.spend("credit", 1500);
    const dispute = stripe.dispute(session, "warning_needs_response");
    await stripe.report(server, "charge.dispute.created", dispute);
    expect(await till.credit()).toBe(500);
    stripe.dispute(session, "needs_response");
    await stripe.report(server, "charge.dispute.updated", dispute);
    expect([await till.credit(), await till.owedCents()]).toEqual([0, 1500]);
    stripe.dispute(session, "won");
    await Promise.all([1, 2, 3].map(() => stripe.report(server, "charge.dispute.closed", dispute)));
    expect([(await till.payment(paymentId)).status, await till.credit(), await till.owedCents()]).toEqual(["completed", 500, 0]);
  });

  test("dispute: one won before its opening is reported leaves the payment completed", async () => {
    const { stripe, server, till } = await open();
    const { paymentId, session } = await visit(till);
    stripe.pay(session);
    await stripe.report(server, "checkout.session.completed", session);
    const dispute = stripe.dispute(session, "won");
    await stripe.report(server, "charge.dispute.closed", dispute);
    // What the report was about is read before it is booked, and may be old by then.
    stripe.dispute(session, "needs_response");
    await stripe.report(server, "charge.dispute.created", dispute);
    expect([(await till.payment(paymentId)).status, await till.credit(), await till.flag(paymentId)]).toEqual([
      "completed",
      2000,
      null,
    ]);
  });

  test("dispute: a second one of a payment is flagged and posted separately", async () => {
    const { stripe, server, till } = await open();
    const { paymentId, session } = await visit(till);
    const state = async () => [(await till.payment(paymentId)).status, await till.credit(), await till.flag(paymentId)];
    const second = (status: string) => stripe.dispute(session, status, { id: "dp_second", amount: 500 });
    stripe.pay(session);
    await stripe.report(server, "checkout.session.completed", session);
    await stripe.report(server, "charge.dispute.created", stripe.dispute(session, "needs_response", { amount: 1500 }));
    expect(await state()).toEqual(["disputed", 500, null]);
    await stripe.report(server, "charge.dispute.created", second("needs_response"));
    const remark = expect.stringContaining("dp_second");
    expect(await state()).toEqual(["disputed", 0, remark]);
    await stripe.report(server, "charge.dispute.closed", stripe.dispute(session, "won", { amount: 1500 }));
    expect(await state()).toEqual(["disputed", 1500, remark]);
    await stripe.report(server, "charge.dispute.closed", second("won"));
    expect(await state()).toEqual(["completed", 2000, remark]);
    await stripe.report(server, "charge.dispute.created", stripe.dispute(session, "lost", { id: "dp_third" }));
    expect(await state()).toEqual(["disputed", 0, expect.stringContaining("dp_third")]);
  });

  test("dispute: a chargeback recorded by an admin is the same as the one Stripe reports later", async () => {
    const { stripe, server, till } = await open();
    const { paymentId, session } = await visit(till);
    stripe.pay(session);
    await stripe.report(server, "checkout.session.completed", session);
    const payment = (await server.deps.store.read((q) => find(q, paymentId)))!;
    await server.deps.store.write((tx) => disputePayment(tx, payment));
    await stripe.report(server, "charge.dispute.created", stripe.dispute(session, "needs_response"));
    expect([await till.credit(), await till.flag(paymentId)]).toEqual([0, null]);
    await stripe.report(server, "charge.dispute.closed", stripe.dispute(session, "won"));
    expect([(await till.payment(paymentId)).status, await till.credit()]).toEqual(["completed", 2000]);
  });

  test("dispute: a chargeback recorded by an admin is corrected when Stripe reports less, or the rest after a refund", async () => {
    const { stripe, server, till } = await open();
    for (const { refunded, disputed, credit } of [
      { refunded: 0, disputed: 800, credit: 1200 },
      { refunded: 500, disputed: 1500, credit: 1200 },
    ]) {
      const { paymentId, session } = await visit(till);
      stripe.pay(session);
      await stripe.report(server, "checkout.session.completed", session);
      if (refunded > 0) await stripe.report(server, "charge.refunded", stripe.refund(session, refunded));
      const payment = (await server.deps.store.read((q) => find(q, paymentId)))!;
      await server.deps.store.write((tx) => disputePayment(tx, payment));
      const dispute = stripe.dispute(session, "needs_response", { amount: disputed });
      await Promise.all([1, 2].map(() => stripe.report(server, "charge.dispute.created", dispute)));
      expect([(await till.payment(paymentId)).status, await till.credit()]).toEqual(["disputed", credit]);
    }
  });

  test("refund: one made at Stripe is posted once, in parts, also before its payment; spent credit is owed", async () => {
    const { stripe, server, till } = await open();
    const { paymentId, session, checkoutUrl } = await visit(till);
    const state = async () => [(await till.payment(paymentId)).status, await till.credit(), await till.owedCents()];
    stripe.pay(session);
    await stripe.report(server, "charge.refunded", stripe.refund(session, 500));
    expect(await state()).toEqual(["completed", 1500, 0]);
    await till.spend("credit", 1200);
    const charge = stripe.refund(session, 2000);
    await Promise.all([1, 2, 3].map(() => stripe.report(server, "charge.refunded", charge)));
    expect(await state()).toEqual(["refunded", 0, 1200]);
    await stripe.report(server, "charge.refunded", stripe.refund(session, 500));
    await stripe.report(server, "checkout.session.completed", session);
    expect(await state()).toEqual(["refunded", 0, 1200]);
    expect(await (await follow(checkoutUrl)).text()).toContain("This payment was refunded.");
    const { invoices } = await till.owner.listInvoices();
    expect(invoices.map(({ totalCents }: { totalCents: number }) => totalCents).sort()).toEqual([-1500, -500, 2000]);
  });

  test("refund: a plan refunded in part continues; refunded in full it ends and loses its hours", async () => {
    const { stripe, server, till } = await open();
    const { session } = await subscribe(till, stripe);
    await till.spend("hours", 100);
    await stripe.report(server, "charge.refunded", stripe.refund(session, 900));
    expect([await statusOf(till), await till.minutes(), await till.owedMinutes()]).toEqual(["active", 200, 0]);
    await stripe.report(server, "charge.refunded", stripe.refund(session, 7900));
    expect([await statusOf(till), await till.minutes(), await till.owedMinutes()]).toEqual(["cancelled", 0, 100]);
    expect((await till.owner.getSubscription()).subscription!.endedReason).toBe("refunded");
  });

  test("plan: saves the card, and each renewal charges it once under the payment's key", async () => {
    const { stripe, server, till } = await open();
    const { session } = await subscribe(till, stripe);
    expect(stripe.sessions.get(session)!.asked).toMatchObject({
      "payment_intent_data[setup_future_usage]": "off_session",
      customer_creation: "always",
    });
    await server.advance(62 * day);
    const renewals = (await till.owner.listPayments()).payments.slice(0, 2).reverse();
    expect(stripe.charges).toEqual(
      renewals.map((payment: { id: string }) => ({ card: "pm_pays", cents: 7900, key: `${payment.id}:renewal` })),
    );
    expect([await till.minutes(), renewals[0]!.externalId]).toEqual([900, "pi_1"]);
  });

  test("renewal: one whose reply was lost is posted by the webhook, also when the plan has ended", async () => {
    const { stripe, server, till } = await open();
    const { session } = await subscribe(till, stripe);
    stripe.setLosing(true);
    await server.advance(31 * day);
    server.errors.splice(0);
    stripe.setLosing(false);
    await stripe.report(server, "charge.dispute.created", stripe.dispute(session, "needs_response"));
    await server.advance(day);
    const [renewal] = (await till.owner.listPayments()).payments;
    expect([stripe.charges.length, renewal!.status, await statusOf(till), await till.minutes()]).toEqual([
      1,
      "cancelled",
      "cancelled",
      0,
    ]);
    await Promise.all([1, 2].map(() => stripe.report(server, "charge.succeeded", "ch_of_pi_1")));
    expect([(await till.payment(renewal!.id)).status, await till.minutes()]).toEqual(["completed", 300]);
    expect(await till.flag(renewal!.id)).toContain("the subscription had ended when its renewal was paid; the hours were added");
  });

  test("renewal: one whose reply was lost is not charged again, also after Stripe forgot its key and without a webhook", async () => {
    const { stripe, server, till } = await open();
    await subscribe(till, stripe);
    stripe.setLosing(true);
    await server.advance(33 * day);
    expect(server.errors.splice(0).length).toBeGreaterThan(0);
    stripe.setLosing(false);
    await server.advance(2 * day);
    expect([stripe.charges.length, await statusOf(till), await till.minutes()]).toEqual([1, "active", 600]);
    await server.advance(31 * day);
    expect([stripe.charges.length, await till.minutes()]).toEqual([2, 900]);
  });

  test("renewal: one that Stripe declines is past due and retried; without an answer it stays open", async () => {
    const { stripe, server, till } = await open();
    await subscribe(till, stripe, "pm_fails");
    await server.advance(31 * day);
    expect([await statusOf(till), await till.minutes()]).toEqual(["past_due", 300]);
    stripe.setDown(true);
    await server.advance(day);
    expect(await till.events("subscription.payment_failed")).toHaveLength(1);
    expect(server.errors.splice(0).length).toBeGreaterThan(0);
    stripe.setDown(false);
    await server.advance(6 * day);
    expect(await statusOf(till)).toBe("cancelled");
  });

  test("dispute: a won one of a plan restores its hours; the plan stays ended", async () => {
    const { stripe, server, till } = await open();
    const { session } = await subscribe(till, stripe);
    await till.spend("hours", 100);
    const dispute = stripe.dispute(session, "under_review");
    await stripe.report(server, "charge.dispute.created", dispute);
    expect([await statusOf(till), await till.minutes(), await till.owedMinutes()]).toEqual(["cancelled", 0, 100]);
    stripe.dispute(session, "won");
    await stripe.report(server, "charge.dispute.closed", dispute);
    expect([await statusOf(till), await till.minutes(), await till.owedMinutes()]).toEqual(["cancelled", 200, 0]);
  });

  /** What Stripe holds according to the ledger, and what it cost. */
  async function stripeFigures(till: Till) {
    const sum = async (account: string) => {
      const sql = "SELECT COALESCE(SUM(amount), 0) AS total FROM ledger_postings WHERE account_id = ?";
      return Number((await till.server.deps.store.read((q) => q.one<{ total: number }>(sql, account)))!.total);
    };
    return [
      await sum("assets:processor:stripe"),
      await sum("expense:processor_fee"),
      await sum("expense:dispute_fee"),
      await till.credit(),
    ];
  }

  test("fee: that of a payment is posted once, with it or when it is known", async () => {
    const { stripe, server, till } = await open();
    const [known, later] = [await visit(till), await visit(till)];
    for (const { session } of [known, later]) stripe.pay(session);
    stripe.fee(known.session, 88);
    for (const { session } of [known, later]) await stripe.report(server, "checkout.session.completed", session);
    expect(await stripeFigures(till)).toEqual([4000 - 88, 88, 0, 4000]);
    const charge = stripe.fee(later.session, 90);
    await Promise.all([1, 2, 3].map(() => stripe.report(server, "charge.updated", charge)));
    await stripe.report(server, "checkout.session.completed", known.session);
    expect(await stripeFigures(till)).toEqual([4000 - 88 - 90, 178, 0, 4000]);
  });

  test("fee: one known before its payment is posted with it; one in another currency is not converted", async () => {
    const { stripe, server, till } = await open();
    const [early, foreign] = [await visit(till), await visit(till)];
    for (const { session } of [early, foreign]) stripe.pay(session);
    await stripe.report(server, "charge.updated", stripe.fee(early.session, 88));
    await stripe.report(server, "charge.updated", stripe.fee(foreign.session, 70, "eur"));
    await stripe.report(server, "checkout.session.completed", foreign.session);
    expect(await stripeFigures(till)).toEqual([4000 - 88, 88, 0, 4000]);
  });

  test("fee: that of a renewal is posted with it", async () => {
    const { stripe, server, till } = await open();
    await subscribe(till, stripe);
    stripe.setRenewalFee(259);
    await server.advance(31 * day);
    expect(await stripeFigures(till)).toEqual([2 * 7900 - 259, 259, 0, 0]);
  });

  test("fee: that of a dispute is posted once, and restored where a won dispute restores it", async () => {
    const { stripe, server, till } = await open();
    const { session } = await visit(till);
    stripe.pay(session);
    await stripe.report(server, "checkout.session.completed", session);
    const report = async (kind: string, status: string, fees: number[]) => {
      const dispute = stripe.dispute(session, status, { fees });
      await Promise.all([1, 2].map(() => stripe.report(server, `charge.dispute.${kind}`, dispute)));
      return stripeFigures(till);
    };
    expect(await report("created", "needs_response", [])).toEqual([0, 0, 0, 0]);
    expect(await report("funds_withdrawn", "needs_response", [1500])).toEqual([-1500, 0, 1500, 0]);
    // Read before the money was taken, and booked after.
    expect(await report("updated", "under_review", [])).toEqual([-1500, 0, 1500, 0]);
    expect(await report("funds_reinstated", "won", [1500, -1500])).toEqual([2000, 0, 0, 2000]);
    expect(await report("funds_withdrawn", "needs_response", [1500])).toEqual([2000, 0, 0, 2000]);
  });

  test.each(["refund.failed", "charge.refund.updated"])(
    "refund: one that the bank refuses is reversed once (%s)",
    async (kind) => {
      const { stripe, server, till } = await open();
      const { paymentId, session } = await visit(till);
      const state = async () => [(await till.payment(paymentId)).status, await till.credit(), await till.owedCents()];
      stripe.pay(session);
      await stripe.report(server, "checkout.session.completed", session);
      await till.spend("credit", 1200);
      await stripe.report(server, "charge.refunded", stripe.refund(session, 500));
      await stripe.report(server, "charge.refunded", stripe.refund(session, 2000));
      expect(await state()).toEqual(["refunded", 0, 1200]);
      const refund = stripe.failRefund(session, 2);
      await Promise.all([1, 2, 3].map(() => stripe.report(server, kind, refund)));
      await stripe.report(server, "charge.refunded", String(refund.charge));
      expect(await state()).toEqual(["completed", 300, 0]);
      expect(await till.flag(paymentId)).toBe(`refund ${refund.id} failed: the amount is back at the processor`);
      // Read before it failed, and booked after.
      refund.status = "pending";
      await stripe.report(server, kind, refund);
      expect(await state()).toEqual(["completed", 300, 0]);
    },
  );

  test("refund: one that failed before it was reported takes nothing", async () => {
    const { stripe, server, till } = await open();
    const { paymentId, session } = await visit(till);
    stripe.pay(session);
    stripe.refund(session, 2000);
    const refund = stripe.failRefund(session, 1);
    await stripe.report(server, "refund.failed", refund);
    refund.status = "succeeded";
    await stripe.report(server, "charge.refunded", String(refund.charge));
    expect([(await till.payment(paymentId)).status, await till.credit()]).toEqual(["completed", 2000]);
  });

  test("refund: a plan whose refund failed has its hours again, and stays ended", async () => {
    const { stripe, server, till } = await open();
    const { session } = await subscribe(till, stripe);
    await till.spend("hours", 100);
    await stripe.report(server, "charge.refunded", stripe.refund(session, 7900));
    expect([await statusOf(till), await till.minutes(), await till.owedMinutes()]).toEqual(["cancelled", 0, 100]);
    await stripe.report(server, "refund.failed", stripe.failRefund(session, 1));
    expect([await statusOf(till), await till.minutes(), await till.owedMinutes()]).toEqual(["cancelled", 200, 0]);
  });

  /** A purchase of $20.00, and what its page says to the visitor. */
  async function purchase() {
    const { stripe, server, till } = await open();
    const { checkoutUrl, paymentId } = await till.buy(2000);
    const path = new URL(checkoutUrl).pathname;
    const browser = visitor(server);
    const toStripe = async () => (await browser.get(path)).location!.split("/").at(-1)!;
    /** Follows a link or a form of a page. */
    const linked = (html: string, words: string) => new RegExp(`<a href="([^"]*)">${words}</a>`).exec(html)![1]!;
    const shown = async (at = path) => (await browser.get(at)).html;
    const state = async () => [(await till.payment(paymentId)).status, await till.credit()];
    return { stripe, server, till, browser, path, session: await toStripe(), toStripe, linked, shown, state };
  }

  pageFacts<Awaited<ReturnType<typeof purchase>>>(
    [
      {
        says: "The card processor has not confirmed the payment yet. After you pay, this takes a moment.",
        see: async ({ path }) => `${path}/done`,
        holds: async ({ stripe, browser, path, session, linked, shown, state }) => {
          expect([stripe.sessions.get(session)!.payment_status, ...(await state())]).toEqual(["unpaid", "pending", 0]);
          const again = linked(await shown(`${path}/done`), "Check again");
          expect((await browser.get(again)).status).toBe(202);
          stripe.pay(session);
          expect((await browser.get(again)).location).toBe(path);
          expect([await state(), await shown()]).toEqual([["completed", 2000], expect.stringContaining("<h1>Paid</h1>")]);
        },
      },
      {
        says: "Nothing was charged. The payment is still open: if a card was declined, you can try another one.",
        see: async ({ path }) => `${path}/left`,
        holds: async ({ stripe, browser, path, session, linked, shown, state }) => {
          expect([stripe.sessions.get(session)!.payment_status, ...(await state())]).toEqual(["unpaid", "pending", 0]);
          const onward = linked(await shown(`${path}/left`), "Continue to payment");
          expect((await browser.get(onward)).location).toBe(`https://checkout.stripe.example/${session}`);
          stripe.pay(session, "pm_another");
          await browser.get(`${path}/done`);
          expect([await state(), stripe.sessions.size]).toEqual([["completed", 2000], 1]);
        },
      },
      {
        says: "Cancel and go back",
        see: async ({ path }) => `${path}/left`,
        holds: async ({ stripe, browser, path, session, shown, state }) => {
          const { location } = await browser.send(`${path}/cancel`, {});
          expect(await shown(location!)).toContain("It was cancelled or it expired. Nothing was charged.");
          expect([stripe.sessions.get(session)!.status, ...(await state())]).toEqual(["expired", "cancelled", 0]);
        },
      },
      {
        says: "It was cancelled or it expired. Nothing was charged.",
        async see({ server, path }) {
          server.clock.set(server.clock.now() + day);
          return path;
        },
        holds: async ({ server, stripe, path, session, shown, state }) => {
          // Also for somebody who comes back from Stripe's page only now.
          expect(await shown(`${path}/left`)).not.toContain("still open");
          // It expired, but was paid just before, and no webhook has arrived.
          stripe.pay(session);
          expect(await shown()).toContain("The payment is complete.");
          await server.advance(0);
          expect(await state()).toEqual(["completed", 2000]);
        },
      },
      {
        says: "The card processor is not responding, and nothing was charged. Try again later.",
        async see({ stripe, till, browser }) {
          stripe.setDown(true);
          return (await browser.get(new URL((await till.buy(2500)).checkoutUrl).pathname)).html;
        },
        holds: async ({ stripe, state }) => {
          stripe.setDown(false);
          expect([stripe.sessions.size, await state()]).toEqual([1, ["pending", 0]]);
        },
      },
      {
        says: "The card processor is not responding, so it is not known whether a payment was made. A payment is charged only once. Try again later.",
        async see({ stripe, path, session }) {
          stripe.pay(session);
          stripe.setDown(true);
          return `${path}/done`;
        },
        holds: async ({ stripe, browser, path, shown, state, toStripe }) => {
          for (const at of [path, `${path}/left`]) expect(await shown(at)).toContain("not known whether a payment was made");
          expect((await browser.send(`${path}/cancel`, {})).html).toContain("not known whether a payment was made");
          expect(await state()).toEqual(["pending", 0]);
          stripe.setDown(false);
          expect(await toStripe()).toBe("done");
          expect((await browser.get(`${path}/done`)).location).toBe(path);
          expect([await state(), await shown(), stripe.sessions.size]).toEqual([
            ["completed", 2000],
            expect.stringContaining("The payment is complete."),
            1,
          ]);
        },
      },
      {
        says: "The card processor of this checkout is no longer configured, so it is not known whether a payment was made.",
        async see({ server, stripe, path, session }) {
          stripe.pay(session);
          server.deps.cards = null;
          return `${path}/done`;
        },
        holds: async ({ stripe, session, state }) =>
          expect([stripe.sessions.get(session)!.payment_status, ...(await state())]).toEqual(["paid", "pending", 0]),
      },
    ],
    purchase,
  );

  test("outage: the checkout page says that Stripe is down, and a webhook is answered so that Stripe sends it again", async () => {
    const { stripe, server, till } = await open();
    const { checkoutUrl } = await till.buy(2000);
    stripe.setDown(true);
    const page = await follow(checkoutUrl);
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("nothing was charged")]);
    expect(await stripe.report(server, "checkout.session.completed", "cs_test_1")).toBe(503);
    expect(server.errors.splice(0)).toHaveLength(1);
  });

  test("webhook: events about unknown objects are accepted and ignored", async () => {
    const { stripe, server } = await open();
    expect(await stripe.report(server, "customer.created", "cus_1")).toBe(200);
    expect((await fetch(`${server.baseUrl}/processors/stripe`)).status).toBe(405);
    expect((await fetch(`${server.baseUrl}/processors/other`, { method: "POST" })).status).toBe(404);
  });
});

describe("a server that cannot start", () => {
  test("without the Stripe package: the error says how to install it", async () => {
    const missing = () => Promise.reject(new Error("Cannot find package 'stripe'"));
    const started = createStripeCards({ secretKey, webhookSecret, apiUrl: null }, missing);
    await expect(started).rejects.toThrow("npm install --global stripe@23");
  });
});
