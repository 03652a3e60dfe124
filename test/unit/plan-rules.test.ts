import { describe, expect, it } from "vitest";
import { hours, planOf, plans } from "../../server/billing/subscriptions/plans.ts";
import * as rules from "../../server/billing/subscriptions/rules.ts";
import type { SubscriptionRow } from "../../server/billing/subscriptions/store.ts";
import { planIntervals, planKeys, planTiers } from "../../src/contract/billing.ts";
import { written } from "../helpers/transfers.ts";

const day = 24 * 3_600_000;
const time = (text: string) => Date.parse(`${text}T12:00:00Z`);
const now = time("2026-03-01");

describe("plans", () => {
  it("have a price in cents and hours for each cycle", () => {
    expect(plans.map(({ key, priceCents, minutesPerCycle }) => [key, priceCents, hours(minutesPerCycle)])).toEqual([
      ["indie_monthly", 7_900, 5],
      ["indie_yearly", 79_000, 60],
      ["studio_monthly", 37_900, 25],
      ["studio_yearly", 379_000, 300],
    ]);
    expect(plans.map(({ key }) => key)).toEqual(planKeys);
  });

  it.each(plans)("$key has its tier, its interval and its names", ({ key, tier, interval, name, displayName }) => {
    expect(key).toBe(`${tier}_${interval}ly`);
    expect([planTiers, planIntervals]).toEqual([expect.arrayContaining([tier]), expect.arrayContaining([interval])]);
    const [first, second] = [tier, `${interval}ly`].map((word) => word[0]!.toUpperCase() + word.slice(1));
    expect([name, displayName]).toEqual([`${first} ${second}`, `${first}, ${interval}ly`]);
  });
});

describe("periods", () => {
  it.each([
    ["2026-01-31", "month", 0, "2026-01-31"],
    ["2026-01-31", "month", 1, "2026-02-28"],
    ["2026-01-31", "month", 2, "2026-03-31"],
    ["2026-01-31", "month", 3, "2026-04-30"],
    ["2026-11-30", "month", 3, "2027-02-28"],
    ["2026-12-15", "month", 1, "2027-01-15"],
    ["2028-01-31", "month", 1, "2028-02-29"],
    ["2028-02-29", "year", 1, "2029-02-28"],
    ["2028-02-29", "year", 4, "2032-02-29"],
    ["2026-05-10", "year", 1, "2027-05-10"],
  ] as const)("from %s by the %s, number %i: begins on %s", (anchor, interval, index, start) => {
    expect(new Date(rules.periodStart(time(anchor), interval, index)).toISOString()).toBe(`${start}T12:00:00.000Z`);
  });

  it.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [4, null],
  ])("after %i failed renewals the next is tried in days: %s", (failures, days) => {
    expect(rules.retryAt(now, failures)).toBe(days === null ? null : now + days * day);
  });
});

const row = (changes: Partial<SubscriptionRow> = {}): SubscriptionRow => ({
  id: "S",
  owner_id: "O",
  plan_key: "indie_monthly",
  status: "active",
  provider: "stripe",
  checkout_expires_at: now - 100,
  card: null,
  anchor_at: now,
  period_index: 0,
  current_period_start: now,
  current_period_end: now + 30 * day,
  failed_renewals: 0,
  cancel_at_period_end: 0,
  cancelled_at: null,
  ended_at: null,
  ended_reason: null,
  created_at: now,
  updated_at: now,
  ...changes,
});

describe("a subscription", () => {
  it.each([
    {
      what: "incomplete, a millisecond before its checkout ends",
      changes: { status: "incomplete", checkout_expires_at: now + 1 },
    },
    { what: "active", changes: {} },
    { what: "active, past its period's end", changes: { current_period_end: now } },
    { what: "cancelled, before its period's end", changes: { cancel_at_period_end: 1, current_period_end: now + 1 } },
    { what: "past due and cancelled", changes: { status: "past_due", cancel_at_period_end: 1, current_period_end: now } },
  ] as const)("stays as it is: $what", ({ changes }) => {
    expect(rules.subscriptionAt(row(changes), now)).toEqual(row(changes));
  });

  it.each([now, now - 1])("whose checkout ended is cancelled from then on", (checkout_expires_at) => {
    const incomplete = row({ status: "incomplete", checkout_expires_at });
    const ended = { status: "cancelled", ended_at: checkout_expires_at, ended_reason: "checkout_expired" };
    expect(rules.subscriptionAt(incomplete, now)).toEqual({ ...incomplete, ...ended });
  });

  it.each([now, now - 1])("that was cancelled ends with its period", (current_period_end) => {
    const cancelled = row({ cancel_at_period_end: 1, current_period_end });
    const ended = { status: "cancelled", ended_at: current_period_end, ended_reason: "cancelled" };
    expect(rules.subscriptionAt(cancelled, now)).toEqual({ ...cancelled, ...ended });
  });

  it("runs while it is active or past due", () => {
    const running = (["incomplete", "active", "past_due", "cancelled"] as const).filter((status) =>
      rules.isRunning(row({ status })),
    );
    expect(running).toEqual(["active", "past_due"]);
  });

  const end = now + 30 * day;
  it.each<[string, Partial<SubscriptionRow>, number | undefined, number | null, number | null]>([
    ["renews at the end of its period", {}, undefined, end, null],
    ["is tried again after a failed renewal", { status: "past_due", failed_renewals: 2 }, now, now + 2 * day, null],
    ["ends with its period once it is cancelled", { cancel_at_period_end: 1 }, undefined, null, end],
    ["ended", { status: "cancelled", ended_at: now - 5 }, undefined, null, now - 5],
  ])("%s", (_, changes, failedMs, nextRenewalAt, endsAt) => {
    expect(rules.outlook(row(changes), failedMs)).toEqual({ nextRenewalAt, endsAt });
  });
});

describe("postings of a plan", () => {
  const payment = { paymentId: "P", subscriptionId: "S", ownerId: "O", processor: "stripe", plan: planOf("indie_monthly") };
  const reversed = { eventKey: "dispute:D", paymentId: "P", ownerId: "O", processor: "stripe", cents: 7900 };

  it("that is paid, and charged back", () => {
    expect(written(...rules.planTransfers(payment))).toMatchInlineSnapshot(`
      "subscription:P USD
        7900 assets:processor:stripe
        -7900 revenue:subscription
        ownerId O, paymentId P, subscriptionId S
      invoice:P MIN
        300 min:issued
        -300 min:balance:O
        note Indie Monthly, ownerId O, paymentId P, subscriptionId S"
    `);
    expect(written(rules.planPriceTaken(reversed), rules.planPriceReturned(reversed))).toMatchInlineSnapshot(`
      "dispute:D USD
        7900 revenue:subscription
        -7900 assets:processor:stripe
        ownerId O, paymentId P
      dispute:D USD
        7900 assets:processor:stripe
        -7900 revenue:subscription
        ownerId O, paymentId P"
    `);
  });

  it("whose minutes are taken as far as they are there, owed beyond that, and returned", () => {
    expect(
      written(
        rules.planMinutesTaken(payment, "D", 120),
        rules.planMinutesTaken(payment, "D", 900),
        rules.planMinutesReturned(payment, "D"),
      ),
    ).toMatchInlineSnapshot(`
      "chargeback:D MIN
        120 min:balance:O
        180 min:receivable:O
        -300 min:issued
        note Indie Monthly, ownerId O, paymentId P, subscriptionId S
      chargeback:D MIN
        300 min:balance:O
        0 min:receivable:O
        -300 min:issued
        note Indie Monthly, ownerId O, paymentId P, subscriptionId S
      invoice:dispute_won:D MIN
        300 min:issued
        -300 min:balance:O
        note Indie Monthly, ownerId O, paymentId P, subscriptionId S"
    `);
  });

  it("whose minutes settle what is owed", () => {
    expect(
      written(rules.settleMinutes("O", { id: "P", paymentId: "P" }, 60), rules.settleMinutes("O", { id: "G" }, 60)),
    ).toMatchInlineSnapshot(`
      "chargeback:settled:P MIN
        60 min:balance:O
        -60 min:receivable:O
        note Hours owed after a chargeback, ownerId O, paymentId P
      chargeback:settled:G MIN
        60 min:balance:O
        -60 min:receivable:O
        note Hours owed after a chargeback, ownerId O"
    `);
  });
});
