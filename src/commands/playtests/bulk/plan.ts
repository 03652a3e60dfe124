import type { Price } from "../../shared/price.ts";
import type { Row } from "./rows.ts";

/** What a bulk order will cost and how each row will be paid: pure. */

export type PayWith = "free" | "hours" | "credit";

export interface Planned extends Row {
  cents: number;
  minutes: number;
  /** None: the funds end before this row. */
  payWith: PayWith | undefined;
}

export interface Plan {
  rows: Planned[];
  slots: number;
  /** To be paid from credit. */
  cents: number;
  minutes: number;
  /** Rows the funds do not reach. */
  beyond: number;
  balanceCents: number | undefined;
  minutesAvailable: number | undefined;
}

/** Rows of one shape have one price a slot. */
export const shapeOf = ({ order }: Row) => `${order.visibility} ${order.durationMinutes} ${order.playerCount}`;

export type Pay = "any" | "hours" | "credit";

interface Funds {
  /** Unknown funds never end. */
  cents: number;
  minutes: number;
}

function payRow(cents: number, minutes: number, funds: Funds, pay: Pay): PayWith | undefined {
  if (cents === 0) return "free";
  if (pay !== "credit" && minutes <= funds.minutes) return "hours";
  return pay !== "hours" && cents <= funds.cents ? "credit" : undefined;
}

/** Pays row after row as the server would: hours if they cover all of it, else credit. Once the funds end, so does the plan. */
export function makePlan(rows: readonly Row[], prices: ReadonlyMap<string, Price>, pay: Pay): Plan {
  const [some] = prices.values();
  const { balanceCents, minutesAvailable } = some ?? {};
  const funds: Funds = {
    cents: balanceCents ?? Number.POSITIVE_INFINITY,
    minutes: minutesAvailable ?? (pay === "hours" ? Number.POSITIVE_INFINITY : 0),
  };
  let ended = false;
  const planned = rows.map((row): Planned => {
    const price = prices.get(shapeOf(row))!;
    const cents = price.costPerSlotCents * row.order.quantity;
    const minutes = cents === 0 ? 0 : row.order.durationMinutes * row.order.playerCount * row.order.quantity;
    const payWith = ended ? undefined : payRow(cents, minutes, funds, pay);
    ended ||= payWith === undefined;
    if (payWith === "credit") funds.cents -= cents;
    if (payWith === "hours") funds.minutes -= minutes;
    return { ...row, cents, minutes, payWith };
  });
  const paidBy = (by: PayWith) => planned.filter(({ payWith }) => payWith === by);
  return {
    rows: planned,
    slots: planned.reduce((sum, { order }) => sum + order.quantity, 0),
    cents: paidBy("credit").reduce((sum, row) => sum + row.cents, 0),
    minutes: paidBy("hours").reduce((sum, row) => sum + row.minutes, 0),
    beyond: planned.filter(({ payWith }) => payWith === undefined).length,
    balanceCents,
    minutesAvailable,
  };
}

/**
 * Milliseconds each of `parallel` senders waits so that the rate limit is not run into: none while there is room, else the pace
 * that the limit (requests a minute) allows.
 */
export function pace(headers: Readonly<Record<string, string>>, parallel: number): number {
  const limit = Number(headers["x-ratelimit-limit"]);
  const remaining = Number(headers["x-ratelimit-remaining"]);
  if (!Number.isFinite(limit) || !Number.isFinite(remaining) || limit <= 0 || remaining > parallel * 2) return 0;
  return Math.ceil((parallel * 60_000) / limit);
}
