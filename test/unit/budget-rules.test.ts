import { describe, expect, it } from "vitest";
import * as rules from "../../server/billing/budgets/rules.ts";
import { combineBudgets, parseBudget } from "../../src/commands/shared/budgets/limits.ts";
import { type BudgetPeriod, budgetPeriods } from "../../src/contract/accounts/budget-periods.ts";
import { budgetText } from "../../src/contract/accounts/budget-text.ts";
import { usd } from "../../src/io/text.ts";

const at = (text: string) => Date.parse(text);
const budget = (limits: Partial<rules.Counted> = {}): rules.Counted => ({
  id: "b1",
  key_id: null,
  game_id: null,
  period: "day",
  limit_cents: null,
  limit_minutes: null,
  limit_slots: null,
  approve_over_cents: null,
  ...limits,
});
const amounts = (cents = 0, minutes = 0, slots = 0): rules.Amounts => ({ cents, minutes, slots });

describe("windows", () => {
  it.each<[BudgetPeriod, string, string | null, string | null]>([
    ["day", "2026-03-01T12:00:00Z", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"],
    ["day", "2026-02-28T23:59:59.999Z", "2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"],
    ["day", "2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"],
    ["month", "2026-03-31T23:59:59Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"],
    ["month", "2026-12-05T00:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
    ["total", "2026-03-01T12:00:00Z", null, null],
    ["order", "2026-03-01T12:00:00Z", null, null],
  ])("of %s at %s", (period, now, start, end) => {
    expect(rules.windowStart(period, at(now))).toBe(start === null ? 0 : at(start));
    expect(rules.windowEnd(period, at(now))).toBe(end === null ? null : at(end));
  });
});

it.each<[string, Partial<rules.Counted>, rules.Amounts, rules.Amounts, rules.Measure | undefined]>([
  ["up to the limit", { limit_cents: 100 }, amounts(60), amounts(40), undefined],
  ["a cent more", { limit_cents: 100 }, amounts(60), amounts(41), "cents"],
  ["minutes", { limit_minutes: 60 }, amounts(0, 30), amounts(0, 31), "minutes"],
  ["slots", { limit_slots: 1 }, amounts(0, 0, 1), amounts(0, 0, 1), "slots"],
  ["nothing of what is limited", { limit_cents: 100 }, amounts(200), amounts(0, 10, 1), undefined],
  ["without limits", {}, amounts(200), amounts(1_000_000, 10, 1), undefined],
  ["of a limit of nothing", { limit_cents: 0 }, amounts(), amounts(1), "cents"],
  ["less than before", { limit_cents: 100 }, amounts(200), amounts(-50), undefined],
])("what a budget does not cover: %s", (_, limits, spent, added, measure) => {
  expect(rules.uncovered(budget(limits), spent, added)).toBe(measure);
});

it.each<[number, number | undefined, number]>([
  [0, undefined, 0],
  [49, undefined, 0],
  [50, 50, 1],
  [79, 50, 1],
  [80, 80, 3],
  [100, 100, 7],
  [150, 100, 7],
])("of a limit of 100, %i spent is told as %s percent", (spent, percent, bits) => {
  const threshold = rules.thresholdOf(budget({ limit_cents: 100 }), amounts(spent));
  expect([threshold?.percent, rules.bitsUpTo(threshold)]).toEqual([percent, bits]);
});

it("the largest share of all limits is told of, and a limit of nothing never", () => {
  expect(rules.thresholdOf(budget({ limit_cents: 100, limit_slots: 2 }), amounts(10, 0, 2))?.percent).toBe(100);
  expect(rules.thresholdOf(budget({ limit_cents: 0 }), amounts())).toBeUndefined();
});

it("amounts are added, taken away, and nothing if all are", () => {
  expect(rules.combined(amounts(1, 2, 3), amounts(10, 20, 30))).toEqual(amounts(11, 22, 33));
  expect(rules.combined(amounts(1, 2, 3), amounts(10, 20, 30), -1)).toEqual(amounts(-9, -18, -27));
  expect([amounts(), amounts(1), amounts(0, 1), amounts(0, 0, -1)].map(rules.isNothing)).toEqual([true, false, false, false]);
});

it.each<[string, Partial<rules.Counted>, rules.Amounts]>([
  ["Left today: $30.00 of $50.00", { limit_cents: 5000 }, amounts(2000)],
  [
    "Left this month: $0.00 of $50.00, 20 of 60 playtest minutes",
    { period: "month", limit_cents: 5000, limit_minutes: 60 },
    amounts(6000, 40),
  ],
  ["Left in all: 1 of 1 slot", { period: "total", limit_slots: 1 }, amounts()],
  ["At most in one order: $20.00, 5 slots", { period: "order", limit_cents: 2000, limit_slots: 5 }, amounts()],
  ["Orders over $10.00 wait for approval", { period: "order", approve_over_cents: 1000 }, amounts()],
  [
    "Left today: $50.00 of $50.00; orders over $10.00 wait for approval",
    { limit_cents: 5000, approve_over_cents: 1000 },
    amounts(),
  ],
])("%s", (text, limits, spent) => {
  const left = rules.leftOf(budget(limits), spent, at("2026-03-01T12:00:00Z"));
  expect(budgetText(left, usd)).toBe(text);
});

it("what is left has the ids and the end of its window", () => {
  const left = rules.leftOf(
    budget({ key_id: "k", game_id: "g", limit_cents: 100 }),
    amounts(1, 2, 3),
    at("2026-03-01T12:00:00Z"),
  );
  expect(left).toEqual({
    ...{ id: "b1", keyId: "k", gameId: "g", period: "day", limitCents: 100, limitMinutes: null, limitSlots: null },
    ...{ spentCents: 1, spentMinutes: 2, spentSlots: 3, approveOverCents: null, resetsAt: "2026-03-02T00:00:00.000Z" },
  });
});

it.each<[string, Partial<rules.Counted>, rules.Amounts]>([
  ["money alone: by its price", { limit_cents: 100 }, amounts(2000, 60, 1)],
  ["money and minutes: as minutes", { limit_cents: 100, limit_minutes: 60 }, amounts(0, 60, 1)],
  ["minutes: as minutes", { limit_minutes: 60 }, amounts(0, 60, 1)],
  ["slots: as minutes", { limit_slots: 1 }, amounts(0, 60, 1)],
])("an order from hours is counted by a budget of %s", (_, limits, taken) => {
  expect(rules.takenFrom(budget(limits), { ...amounts(0, 60, 1), worthCents: 2000 })).toEqual(taken);
  expect(rules.takenFrom(budget(limits), { ...amounts(2000, 0, 1), worthCents: 2000 })).toEqual(amounts(2000, 0, 1));
});

describe("limits of commands", () => {
  it.each([
    ["50/day", { period: "day", limitCents: 5000 }],
    ["$1,500.50/month", { period: "month", limitCents: 150_050 }],
    ["120min/month", { period: "month", limitMinutes: 120 }],
    ["1 slot/total", { period: "total", limitSlots: 1 }],
    ["5slots/order", { period: "order", limitSlots: 5 }],
  ])("%s", (text, parsed) => {
    expect(parseBudget(text, "--budget")).toEqual(parsed);
  });

  it.each(["50", "50/week", "/day", "fifty/day", "5 apples/day", "-5/day"])("%s is refused", (text) => {
    expect(() => parseBudget(text, "--budget")).toThrow(/^--budget: /);
  });

  it("of one period are one budget, and the approval stands with that of an order", () => {
    const given = ["50/day", "5slots/day", "20/order"].map((text) => parseBudget(text, "--budget"));
    expect(combineBudgets(given, 1000)).toEqual([
      { period: "day", limitCents: 5000, limitSlots: 5 },
      { period: "order", limitCents: 2000, approveOverCents: 1000 },
    ]);
    expect(combineBudgets([], undefined)).toEqual([]);
    expect(budgetPeriods).toEqual(["order", "day", "month", "total"]);
  });
});
