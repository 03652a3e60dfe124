import type { BudgetPeriod } from "../../../src/contract/accounts/budget-periods.ts";
import type { BudgetLeft } from "../../../src/contract/accounts/budgets.ts";

/** What something takes from a budget: cents that are paid or due, playtest minutes, and slots. */
export interface Amounts {
  cents: number;
  minutes: number;
  slots: number;
}

/** An order or payment: what it takes, and what it is worth in money, also if hours pay for it. */
export interface Purchase extends Amounts {
  worthCents: number;
}

export type Measure = keyof Amounts;
export const measures = ["cents", "minutes", "slots"] as const satisfies readonly Measure[];

export const nothing: Amounts = { cents: 0, minutes: 0, slots: 0 };

export interface Limits {
  period: BudgetPeriod;
  limit_cents: number | null;
  limit_minutes: number | null;
  limit_slots: number | null;
}

export const limitOf = (limits: Limits, measure: Measure): number | null => limits[`limit_${measure}`];

export const combined = (a: Amounts, b: Amounts, sign: 1 | -1 = 1): Amounts => ({
  cents: a.cents + sign * b.cents,
  minutes: a.minutes + sign * b.minutes,
  slots: a.slots + sign * b.slots,
});

export const isNothing = (amounts: Amounts): boolean => measures.every((measure) => amounts[measure] === 0);

/** What a purchase takes from one budget. One that limits money but no minutes counts what hours pay for by its price. */
export const takenFrom = (limits: Limits, { worthCents, ...amounts }: Purchase): Amounts =>
  amounts.minutes > 0 && limits.limit_cents !== null && limits.limit_minutes === null
    ? { ...amounts, cents: worthCents }
    : amounts;

/** When the window began to which `now` (ms) belongs: a UTC day or month; 0 for a total. An order is a window of its own. */
export function windowStart(period: BudgetPeriod, now: number): number {
  if (period === "order" || period === "total") return 0;
  const at = new Date(now);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), period === "day" ? at.getUTCDate() : 1);
}

/** When the next window begins (ms). Null for an order and a total. */
export function windowEnd(period: BudgetPeriod, now: number): number | null {
  if (period === "order" || period === "total") return null;
  const at = new Date(now);
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return period === "day" ? Date.UTC(year, month, at.getUTCDate() + 1) : Date.UTC(year, month + 1);
}

/** The first measure by which a budget does not cover `added`, which comes to what was `spent` before. What adds nothing is covered. */
export const uncovered = (limits: Limits, spent: Amounts, added: Amounts): Measure | undefined =>
  measures.find((measure) => {
    const limit = limitOf(limits, measure);
    return limit !== null && added[measure] > 0 && spent[measure] + added[measure] > limit;
  });

/** The shares of a limit that its owner is told of, and the bit of each in what was told. */
export const thresholds = [
  { percent: 50, bit: 1 },
  { percent: 80, bit: 2 },
  { percent: 100, bit: 4 },
] as const;
export type Threshold = (typeof thresholds)[number];

/** The bit for having told of a refusal. */
export const refusedBit = 8;

/** The highest share of a limit that is spent, of those that are told of. */
export const thresholdOf = (limits: Limits, spent: Amounts): Threshold | undefined =>
  thresholds.findLast(({ percent }) =>
    measures.some((measure) => {
      const limit = limitOf(limits, measure);
      return limit !== null && limit > 0 && spent[measure] * 100 >= limit * percent;
    }),
  );

/** The bits of a threshold and of those below it. */
export const bitsUpTo = (threshold: Threshold | undefined): number => (threshold === undefined ? 0 : threshold.bit * 2 - 1);

export interface Counted extends Limits {
  id: string;
  key_id: string | null;
  game_id: string | null;
  approve_over_cents: number | null;
}

/** A budget and what was spent of it in the window of `now`, as replies and errors show it. */
export function leftOf(budget: Counted, spent: Amounts, now: number): BudgetLeft {
  const end = windowEnd(budget.period, now);
  return {
    id: budget.id,
    keyId: budget.key_id,
    gameId: budget.game_id,
    period: budget.period,
    limitCents: budget.limit_cents,
    spentCents: spent.cents,
    limitMinutes: budget.limit_minutes,
    spentMinutes: spent.minutes,
    limitSlots: budget.limit_slots,
    spentSlots: spent.slots,
    approveOverCents: budget.approve_over_cents,
    resetsAt: end === null ? null : new Date(end).toISOString(),
  };
}
