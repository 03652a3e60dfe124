import { expect, test, vi } from "vitest";
import type { Data } from "../../src/contract/index.ts";
import { goodCard, openTill, submit, type Till } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { firstAdmin, registerOwner } from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

const hour = 3_600_000;
const day = 24 * hour;

async function openPlan(server: TestServer, planKey = "indie_monthly") {
  const till = await openTill(server);
  const checkout = await subscribe(till, planKey);
  await act(till, checkout.subscriptionId, "paid");
  return { till, id: checkout.subscriptionId };
}

async function subscribe(till: Till, planKey: string) {
  const reply = await till.owner.post("/billing/subscription/checkout", { planKey });
  if (reply.status !== 200) throw new Error(`could not subscribe: ${reply.text}`);
  return reply.body.data as Required<Data<"checkoutSubscription">>;
}

const act = (till: Till, id: string, outcome: string) =>
  till.server.request("POST", `/sandbox/subscriptions/${id}/complete`, { body: { outcome } });
const setRenewals = (till: Till, id: string, outcome: string) =>
  till.server.request("POST", `/sandbox/subscriptions/${id}/renewals`, { body: { outcome } });
const show = async (till: Till) => await till.owner.getSubscription();
const history = async (till: Till): Promise<[number, string][]> =>
  (await till.owner.get("/billing/playtest-hours/history")).body.data.entries.map(
    (entry: { amountMinutes: number; source: string }) => [entry.amountMinutes, entry.source.split(":")[0]],
  );
/** The subscription's state and dates without the time of day, which is noon throughout. */
const state = async (till: Till) => {
  const { subscription: s, nextRenewalAt, endsAt } = await show(till);
  const date = (at: string | null) => at?.slice(0, 10) ?? null;
  return [s!.planKey, s!.status, date(s!.currentPeriodStart), date(s!.currentPeriodEnd), date(nextRenewalAt), date(endsAt)];
};

onBothDatabases("subscriptions", (serve) => {
  test("new account: has no subscription", async () => {
    expect(await show(await openTill(await serve()))).toEqual({
      subscription: null,
      plan: null,
      playtestMinutes: 0,
      playtestHours: 0,
      nextRenewalAt: null,
      endsAt: null,
      cancelAtPeriodEnd: false,
    });
  });

  test("checkout: incomplete until it is paid, then the plan is active and its hours are granted once", async () => {
    const till = await openTill(await serve());
    const checkout = await subscribe(till, "indie_monthly");
    expect(checkout).toMatchObject({ sessionId: expect.stringMatching(/^cs_/), isPlanChange: false });
    expect((await show(till)).subscription).toMatchObject({ id: checkout.subscriptionId, status: "incomplete" });
    expect(await till.minutes()).toBe(0);
    await Promise.all([1, 2, 3, 4, 5].map(() => submit(checkout.checkoutUrl, goodCard)));
    expect(await state(till)).toEqual(["indie_monthly", "active", "2026-03-01", "2026-04-01", "2026-04-01", null]);
    expect([await till.minutes(), await history(till)]).toEqual([300, [[300, "invoice"]]]);
    expect(await till.events("subscription.created")).toEqual([
      { subscriptionId: checkout.subscriptionId, planKey: "indie_monthly", status: "active" },
    ]);
    expect((await till.owner.listPayments()).payments).toMatchObject([{ amountCents: 7900, status: "completed" }]);
    expect(await show(till)).toMatchObject({ playtestHours: 5, plan: { key: "indie_monthly", hoursPerCycle: 5 } });
  });

  test.each([
    ["declined", "payment_failed"],
    ["cancelled", "checkout_cancelled"],
  ])("checkout: one that is %s ends the subscription before it starts", async (outcome, endedReason) => {
    const till = await openTill(await serve());
    const { subscriptionId } = await subscribe(till, "indie_monthly");
    expect((await act(till, subscriptionId, outcome)).body.data.subscription).toMatchObject({ status: "cancelled", endedReason });
    expect((await act(till, subscriptionId, "paid")).status).toBe(409);
    expect([await till.minutes(), await till.events("subscription.created")]).toEqual([0, []]);
  });

  test("checkout: expires after 24 hours; a late success still starts the plan", async () => {
    const till = await openTill(await serve());
    const { subscriptionId } = await subscribe(till, "indie_monthly");
    till.server.clock.set(till.server.clock.now() + day);
    expect((await show(till)).subscription).toMatchObject({ status: "cancelled", endedReason: "checkout_expired" });
    await till.server.advance(0);
    expect((await show(till)).subscription).toMatchObject({ status: "cancelled", endedReason: "checkout_expired" });
    await act(till, subscriptionId, "paid");
    expect((await show(till)).subscription).toMatchObject({
      id: subscriptionId,
      status: "active",
      endedAt: null,
      endedReason: null,
    });
    expect(await till.minutes()).toBe(300);
  });

  test("period: calendar months from the first day, on the last day where a month is shorter", async () => {
    const server = await serve();
    await server.advance(Date.parse("2026-08-31T12:00:00Z") - server.clock.now());
    const { till } = await openPlan(server);
    const ends: string[] = [];
    for (let period = 0; period < 7; period++) {
      const { subscription } = await show(till);
      ends.push(subscription!.currentPeriodEnd!.slice(0, 10));
      await server.advance(Date.parse(subscription!.currentPeriodEnd!) - server.clock.now());
    }
    expect(ends).toEqual(["2026-09-30", "2026-10-31", "2026-11-30", "2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"]);
    expect(await till.minutes()).toBe(8 * 300);
    expect(await till.events("subscription.renewed")).toHaveLength(7);
  });

  test("renewal: a year advanced at once renews a monthly plan twelve times, a yearly one once", async () => {
    const server = await serve();
    const monthly = await openPlan(server);
    const yearly = await openPlan(server, "studio_yearly");
    await server.advance(365 * day);
    expect([await monthly.till.minutes(), await yearly.till.minutes()]).toEqual([13 * 300, 2 * 18_000]);
    expect(await state(yearly.till)).toEqual(["studio_yearly", "active", "2027-03-01", "2028-03-01", "2028-03-01", null]);
  });

  test("renewal: a failed one is past due and is retried after a day until it succeeds", async () => {
    const { till, id } = await openPlan(await serve());
    await setRenewals(till, id, "failed");
    await till.server.advance(31 * day);
    expect(await state(till)).toEqual(["indie_monthly", "past_due", "2026-03-01", "2026-04-01", "2026-04-02", null]);
    expect(await till.events("subscription.payment_failed")).toEqual([
      { subscriptionId: id, planKey: "indie_monthly", status: "past_due" },
    ]);
    await setRenewals(till, id, "paid");
    await till.server.advance(day);
    expect(await state(till)).toEqual(["indie_monthly", "active", "2026-04-01", "2026-05-01", "2026-05-01", null]);
    expect([await till.minutes(), (await till.events("subscription.renewed")).length]).toEqual([600, 1]);
  });

  test("renewal: failed attempts 1, 3 and 5 days past the due date cancel the subscription", async () => {
    const { till, id } = await openPlan(await serve());
    await setRenewals(till, id, "failed");
    const seen: unknown[] = [];
    for (const days of [31, 1, 2, 2]) {
      await till.server.advance(days * day - 1);
      const before = (await till.events("subscription.payment_failed")).length;
      await till.server.advance(1);
      seen.push([before, (await till.events("subscription.payment_failed")).length, (await show(till)).subscription!.status]);
    }
    expect(seen).toEqual([
      [0, 1, "past_due"],
      [1, 2, "past_due"],
      [2, 3, "past_due"],
      [3, 4, "cancelled"],
    ]);
    expect((await show(till)).subscription).toMatchObject({ endedReason: "payment_failed", endedAt: "2026-04-06T12:00:00.000Z" });
    expect([(await till.events("subscription.cancelled")).length, await till.minutes()]).toEqual([1, 300]);
    const told = till.server.mails.findLast(({ subject }) => subject.startsWith("The renewal of"))!.text;
    expect(told).toContain(
      "The charge is not tried again, so the plan has ended. You keep your unused hours and can subscribe again.",
    );
    await till.server.advance(60 * day);
    expect(await till.events("subscription.payment_failed")).toHaveLength(4);
    await submit((await subscribe(till, "indie_monthly")).checkoutUrl, goodCard);
    expect([(await show(till)).subscription!.status, await till.minutes()]).toEqual(["active", 600]);
  });

  test("renewal: after an outage of days, attempts are as far apart as ever, and emails name the next one", async () => {
    const { till, id } = await openPlan(await serve());
    await setRenewals(till, id, "failed");
    const seen: unknown[] = [];
    // The server is off from before the renewal is due until 9 days after, and once more over the second attempt.
    for (const days of [40, 3, 1, 1, 2]) {
      till.server.clock.set(till.server.clock.now() + days * day);
      await till.server.advance(0);
      const failures = (await till.events("subscription.payment_failed")).length;
      const mail = till.server.mails.findLast(({ subject }) => subject.startsWith("The renewal of"))!;
      const { subscription, nextRenewalAt } = await show(till);
      const told = /again on \w+ (.*?), UTC\. Make|plan (has ended)/.exec(mail.text)!;
      seen.push([failures, subscription!.status, nextRenewalAt, told[1] ?? told[2]]);
    }
    expect(seen).toEqual([
      [1, "past_due", "2026-04-11T12:00:00.000Z", "2026-04-11 12:00"],
      [2, "past_due", "2026-04-15T12:00:00.000Z", "2026-04-15 12:00"],
      [2, "past_due", "2026-04-15T12:00:00.000Z", "2026-04-15 12:00"],
      [3, "past_due", "2026-04-17T12:00:00.000Z", "2026-04-17 12:00"],
      [4, "cancelled", null, "has ended"],
    ]);
  });

  test("renewal: the test card that fails at renewal does", async () => {
    const till = await openTill(await serve());
    const { checkoutUrl } = await subscribe(till, "indie_monthly");
    await submit(checkoutUrl, { ...goodCard, number: "4000 0000 0000 0341" });
    expect((await show(till)).subscription!.status).toBe("active");
    await till.server.advance(31 * day);
    expect((await show(till)).subscription!.status).toBe("past_due");
  });

  test("cancel: the plan stays until the end of its period, and can be resumed before", async () => {
    const { till } = await openPlan(await serve());
    const cancelled = await till.owner.cancelSubscription();
    expect(cancelled.subscription).toMatchObject({ status: "active", cancelAtPeriodEnd: true });
    expect(await state(till)).toEqual(["indie_monthly", "active", "2026-03-01", "2026-04-01", null, "2026-04-01"]);
    expect((await till.owner.post("/billing/subscription/cancel")).status).toBe(200);
    expect(await till.events("subscription.cancelled")).toHaveLength(1);
    const resumed = await till.owner.resumeSubscription();
    expect(resumed.subscription).toMatchObject({ cancelAtPeriodEnd: false, cancelledAt: null });
    await till.server.advance(31 * day);
    expect(await till.minutes()).toBe(600);
    await till.owner.cancelSubscription();
    await till.server.advance(30 * day);
    expect((await show(till)).subscription).toMatchObject({
      status: "cancelled",
      endedReason: "cancelled",
      endedAt: "2026-05-01T12:00:00.000Z",
    });
    expect((await till.events("subscription.cancelled")).map(({ status }) => status).sort()).toEqual([
      "active",
      "active",
      "cancelled",
    ]);
    expect(await till.minutes()).toBe(600);
  });

  test("cancel: the plan ends at its last millisecond, before any job has run", async () => {
    const { till, id } = await openPlan(await serve());
    await till.owner.cancelSubscription();
    till.server.clock.set(Date.parse("2026-04-01T12:00:00Z"));
    expect((await show(till)).subscription).toMatchObject({ status: "cancelled", endedReason: "cancelled" });
    expect((await till.owner.post("/billing/subscription/resume")).status).toBe(400);
    const again = await subscribe(till, "indie_monthly");
    expect(again.isPlanChange).toBe(false);
    await act(till, again.subscriptionId, "paid");
    expect(await state(till)).toEqual(["indie_monthly", "active", "2026-04-01", "2026-05-01", "2026-05-01", null]);
    await till.server.advance(0);
    const ended = (await till.events("subscription.cancelled")).filter(({ status }) => status === "cancelled");
    expect(ended).toEqual([{ subscriptionId: id, planKey: "indie_monthly", status: "cancelled" }]);
  });

  test("cancel: the payment of a renewal whose charge got no answer does not stay pending after the plan's end", async () => {
    const { till, id } = await openPlan(await serve());
    const { deps } = till.server;
    const chargeSaved = vi.spyOn(deps.cards!, "chargeSaved").mockRejectedValue(new Error("The processor is down."));
    await till.server.advance(31 * day);
    expect(till.server.errors.splice(0).length).toBeGreaterThan(0);
    expect((await till.owner.listPayments()).payments[0]).toMatchObject({ amountCents: 7900, status: "pending" });
    await till.owner.cancelSubscription();
    chargeSaved.mockRestore();
    await till.server.advance(day);
    expect((await show(till)).subscription).toMatchObject({ id, status: "cancelled", endedReason: "cancelled" });
    expect((await till.owner.listPayments()).payments[0]).toMatchObject({ amountCents: 7900, status: "cancelled" });
    const admin = await firstAdmin(till.server);
    expect((await admin.delete(`/admin/users/${till.owner.id}`)).status).toBe(200);
  });

  test("cancel: a past due plan ends at once and is not charged again", async () => {
    const { till, id } = await openPlan(await serve());
    await setRenewals(till, id, "failed");
    await till.server.advance(31 * day);
    const reply = await till.owner.cancelSubscription();
    expect(reply.subscription).toMatchObject({
      status: "cancelled",
      endedReason: "cancelled",
      cancelAtPeriodEnd: true,
    });
    await setRenewals(till, id, "paid");
    await till.server.advance(10 * day);
    expect([await till.minutes(), (await show(till)).subscription!.status]).toEqual([300, "cancelled"]);
  });

  test("past due: the plan is paid with another card, and the renewal is not charged any more", async () => {
    const { till, id } = await openPlan(await serve());
    await setRenewals(till, id, "failed");
    await till.server.advance(31 * day);
    const mail = till.server.mails.findLast(({ subject }) => subject.startsWith("The renewal of"))!;
    expect(mail.text).toContain("or subscribe again with another card.");
    const again = await subscribe(till, "indie_monthly");
    expect(again).toMatchObject({ isPlanChange: false, paymentId: expect.any(String) });
    expect((await show(till)).subscription).toMatchObject({ id, status: "past_due" });
    await Promise.all([1, 2, 3].map(() => submit(again.checkoutUrl, goodCard)));
    await setRenewals(till, id, "paid");
    expect(await state(till)).toEqual(["indie_monthly", "active", "2026-04-01", "2026-05-01", "2026-05-01", null]);
    await till.server.advance(10 * day);
    expect([await till.minutes(), (await show(till)).subscription!.id]).toEqual([600, again.subscriptionId]);
    const payments = (await till.owner.listPayments()).payments.map(({ status }) => status);
    expect(payments).toEqual(["completed", "failed", "completed"]);
    await till.server.advance(20 * day);
    expect([await till.minutes(), (await till.events("subscription.renewed")).length]).toEqual([900, 1]);
  });

  test("past due: a checkout that is open when the renewal is paid after all ends, so that nothing is paid twice", async () => {
    const { till, id } = await openPlan(await serve());
    await setRenewals(till, id, "failed");
    await till.server.advance(31 * day);
    await till.server.advance(23 * hour);
    const again = await subscribe(till, "indie_monthly");
    const other = await subscribe(till, "studio_monthly");
    await setRenewals(till, id, "paid");
    await till.server.advance(hour);
    await till.server.advance(0);
    await submit(again.checkoutUrl, goodCard);
    expect(await state(till)).toEqual(["indie_monthly", "active", "2026-04-01", "2026-05-01", "2026-05-01", null]);
    expect([await till.minutes(), (await show(till)).subscription!.id]).toEqual([600, id]);
    const status = async (payment: string) => (await till.owner.getPayment({ params: { id: payment } })).payment.status;
    expect([await status(again.paymentId), await status(other.paymentId)]).toEqual(["cancelled", "pending"]);
  });

  test("past due: of two checkouts of the plan, the second one ends when the first is paid", async () => {
    const { till, id } = await openPlan(await serve());
    await setRenewals(till, id, "failed");
    await till.server.advance(31 * day);
    const [first, second] = [await subscribe(till, "indie_monthly"), await subscribe(till, "indie_monthly")];
    await submit(first.checkoutUrl, goodCard);
    await till.server.advance(0);
    await submit(second.checkoutUrl, goodCard);
    expect([await till.minutes(), (await show(till)).subscription!.id]).toEqual([600, first.subscriptionId]);
    const { payment } = await till.owner.getPayment({ params: { id: second.paymentId } });
    expect(payment.status).toBe("cancelled");
  });

  test("past due: no checkout of the plan starts while its renewal is being charged", async () => {
    const { till, id } = await openPlan(await serve());
    await setRenewals(till, id, "failed");
    await till.server.advance(31 * day);
    const chargeSaved = vi.spyOn(till.server.deps.cards!, "chargeSaved").mockRejectedValue(new Error("The processor is down."));
    await till.server.advance(day);
    expect(till.server.errors.splice(0).length).toBeGreaterThan(0);
    const refused = await till.owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" });
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      "The renewal of this plan is being charged. Nothing was started. Look at the subscription in an hour.",
    ]);
    chargeSaved.mockRestore();
  });

  test("plan change: ends the old plan at that moment, adds all new hours and keeps the old ones", async () => {
    const { till, id } = await openPlan(await serve());
    await till.server.advance(10 * day);
    const change = await subscribe(till, "studio_monthly");
    expect([change.isPlanChange, change.subscriptionId]).toEqual([true, expect.not.stringMatching(id)]);
    expect((await show(till)).subscription!.id).toBe(id);
    await act(till, change.subscriptionId, "paid");
    expect(await state(till)).toEqual(["studio_monthly", "active", "2026-03-11", "2026-04-11", "2026-04-11", null]);
    const sql = "SELECT status, ended_at, ended_reason FROM subscriptions WHERE id = ?";
    expect(await till.server.deps.store.read((q) => q.one(sql, id))).toEqual({
      status: "cancelled",
      ended_at: till.server.clock.now(),
      ended_reason: "plan_changed",
    });
    expect(await till.events("subscription.cancelled")).toEqual([
      { subscriptionId: id, planKey: "indie_monthly", status: "cancelled" },
    ]);
    expect(await till.minutes()).toBe(1800);
    await till.server.advance(21 * day + hour);
    expect(await till.minutes()).toBe(1800);
  });

  test("cancel: during a renewal leaves one consistent state and at most one grant", async () => {
    const { till } = await openPlan(await serve());
    till.server.clock.set(Date.parse("2026-04-01T12:00:00Z"));
    const [cancelled] = await Promise.all([till.owner.post("/billing/subscription/cancel"), till.server.advance(0)]);
    const { subscription } = await show(till);
    const renewed = (await till.events("subscription.renewed")).length;
    expect(await till.minutes()).toBe(300 + renewed * 300);
    expect(renewed).toBeLessThanOrEqual(1);
    expect([cancelled.status, subscription!.cancelAtPeriodEnd, subscription!.status]).toEqual([
      200,
      true,
      renewed === 1 ? "active" : "cancelled",
    ]);
  });

  test("renewal: a job that runs twice grants hours once", async () => {
    const { till, id } = await openPlan(await serve());
    const { deps } = till.server;
    till.server.clock.set(Date.parse("2026-04-01T12:00:00Z"));
    const job = { kind: "renew-subscription", key: "again", payload: { subscriptionId: id, periodIndex: 0 }, runAt: 0 };
    await deps.store.write((tx) => deps.jobs.schedule(tx, job));
    await till.server.advance(0);
    expect([await till.minutes(), (await till.events("subscription.renewed")).length]).toEqual([600, 1]);
  });

  test("chargeback: takes the hours, leaves spent ones owed, and ends the plan", async () => {
    const { till, id } = await openPlan(await serve());
    await till.spend("hours", 200);
    const disputed = await act(till, id, "disputed");
    expect(disputed.body.data.subscription).toMatchObject({ status: "cancelled", endedReason: "chargeback" });
    expect([await till.minutes(), await till.owedMinutes(), await till.events("subscription.cancelled")]).toEqual([
      0,
      200,
      [{ subscriptionId: id, planKey: "indie_monthly", status: "cancelled" }],
    ]);
    expect(await history(till)).toEqual([
      [-100, "chargeback"],
      [-200, "playtest"],
      [300, "invoice"],
    ]);
    expect((await act(till, id, "disputed")).status).toBe(409);
    const again = await subscribe(till, "indie_monthly");
    await act(till, again.subscriptionId, "paid");
    expect([await till.minutes(), await till.owedMinutes()]).toEqual([100, 0]);
    expect((await history(till)).slice(0, 2).sort()).toEqual([
      [-200, "chargeback"],
      [300, "invoice"],
    ]);
  });

  test.each([
    ["checkout of the plan already held", "checkout", { planKey: "indie_monthly" }, 400, "already have this plan"],
    ["resume without a cancellation", "resume", undefined, 400, "nothing to resume"],
    ["checkout of no plan", "checkout", { planKey: "mega_monthly" }, 422, "planKey"],
    ["checkout without a plan", "checkout", {}, 422, "planKey"],
  ])("checkout: %s is refused", async (_name, verb, body, status, words) => {
    const { till } = await openPlan(await serve());
    const reply = await till.owner.post(`/billing/subscription/${verb}`, body);
    expect([reply.status, reply.body.error.message]).toEqual([status, expect.stringContaining(words)]);
  });

  test("cancel: refused without a plan", async () => {
    const owner = await registerOwner(await serve());
    const reply = await owner.post("/billing/subscription/cancel");
    const { code, message } = reply.body.error;
    expect([reply.status, code, message]).toEqual([
      400,
      "BAD_REQUEST",
      "There is no active subscription to cancel. Nothing was changed.",
    ]);
  });

  test("checkout: 503 without a card processor", async () => {
    const server = await serve({
      config: (config) => {
        config.sandbox = false;
      },
    });
    const owner = await registerOwner(server);
    const reply = await owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" });
    const { code, message } = reply.body.error;
    expect([reply.status, code, reply.headers.get("retry-after")]).toEqual([503, "NOT_CONFIGURED", null]);
    expect(message).toMatch(
      /^This server does not accept cards\. Nothing was started or charged\. .*invoice.*grant EMAIL --minutes 600/,
    );
    expect((await owner.getSubscription()).subscription).toBeNull();
  });

  test("sandbox: the renewals of an ended subscription cannot be set", async () => {
    const till = await openTill(await serve());
    const { subscriptionId } = await subscribe(till, "indie_monthly");
    expect((await setRenewals(till, subscriptionId, "failed")).status).toBe(409);
    expect((await setRenewals(till, till.owner.id, "failed")).status).toBe(404);
  });
});
