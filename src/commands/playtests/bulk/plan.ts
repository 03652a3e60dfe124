import type { Price, Shortfall } from "../../shared/price.ts";
import type { Row } from "./rows.ts";

/** Pure functions that calculate what a bulk order costs and how each row is paid. */

export type PayWith = "free" | "hours" | "credit";

export interface Planned extends Row {
  /** What the row takes from the credit. 0 if hours pay for it. */
  cents: number;
  /** What it takes from the playtest hours. 0 unless they pay for it. */
  minutes: number;
  /** Undefined: the funds do not cover this row. */
  payWith: PayWith | undefined;
}

export interface Plan {
  rows: Planned[];
  slots: number;
  /** Total to pay from credit. */
  cents: number;
  minutes: number;
  /** Number of rows that the funds do not cover. */
  beyond: number;
  /** What those rows cost, and how much more of it the account needs for them. */
  beyondCents: number;
  beyondMinutes: number;
  missing: Shortfall;
  balanceCents: number | undefined;
  minutesAvailable: number | undefined;
}

/** Rows with the same shape have the same price per slot. */
export const shapeOf = ({ order }: Row) => `${order.visibility} ${order.durationMinutes} ${order.playerCount}`;

export type Pay = "any" | "hours" | "credit";

interface Funds {
  /** Infinity if unknown. */
  cents: number;
  minutes: number;
}

function payRow(cents: number, minutes: number, funds: Funds, pay: Pay): PayWith | undefined {
  if (cents === 0) return "free";
  if (pay !== "credit" && minutes <= funds.minutes) return "hours";
  return pay !== "hours" && cents <= funds.cents ? "credit" : undefined;
}

/** Assigns a payment method to each row as the server would: hours if they cover all of it, else credit. Stops when the funds run out. */
export function makePlan(rows: readonly Row[], prices: ReadonlyMap<string, Price>, pay: Pay): Plan {
  const [some] = prices.values();
  const { balanceCents, minutesAvailable } = some ?? {};
  const funds: Funds = {
    cents: balanceCents ?? Number.POSITIVE_INFINITY,
    minutes: minutesAvailable ?? (pay === "hours" ? Number.POSITIVE_INFINITY : 0),
  };
  let ended = false;
  const planned = rows.map((row): Planned => {
    const { costPerSlotCents = 0 } = prices.get(shapeOf(row))!;
    const price = costPerSlotCents * row.order.quantity;
    const minutes = price === 0 ? 0 : row.order.durationMinutes * row.order.playerCount * row.order.quantity;
    const payWith = ended ? undefined : payRow(price, minutes, funds, pay);
    ended ||= payWith === undefined;
    if (payWith === "credit") funds.cents -= price;
    if (payWith === "hours") funds.minutes -= minutes;
    // A row that the funds do not cover names what is missing.
    const takesHours = (payWith ?? pay) === "hours";
    return { ...row, cents: takesHours ? 0 : price, minutes: takesHours ? minutes : 0, payWith };
  });
  const beyond = planned.filter(({ payWith }) => payWith === undefined);
  const beyondCents = beyond.reduce((sum, row) => sum + row.cents, 0);
  const beyondMinutes = beyond.reduce((sum, row) => sum + row.minutes, 0);
  const paidBy = (by: PayWith) => planned.filter(({ payWith }) => payWith === by);
  return {
    rows: planned,
    slots: planned.reduce((sum, { order }) => sum + order.quantity, 0),
    cents: paidBy("credit").reduce((sum, row) => sum + row.cents, 0),
    minutes: paidBy("hours").reduce((sum, row) => sum + row.minutes, 0),
    beyond: beyond.length,
    beyondCents,
    beyondMinutes,
    missing: {
      reason: notCovered(beyond.length),
      ...(beyondCents > funds.cents && { cents: beyondCents - funds.cents }),
      ...(beyondMinutes > funds.minutes && { minutes: beyondMinutes - funds.minutes }),
    },
    balanceCents,
    minutesAvailable,
  };
}

export const notCovered = (rows: number) =>
  rows === 1 ? "The funds do not cover the last row" : `The funds do not cover the last ${rows} rows`;

/** A server that allows less is waited for when it refuses. */
const maxPauseMs = 60_000;

/**
 * Milliseconds that each of `parallel` senders waits to stay below the rate limit: 0 while enough requests remain, otherwise the
 * interval that the limit (in requests per minute) allows.
 */
export function pace(headers: Readonly<Record<string, string>>, parallel: number): number {
  const limit = Number(headers["x-ratelimit-limit"]);
  const remaining = Number(headers["x-ratelimit-remaining"]);
  if (!Number.isFinite(limit) || !Number.isFinite(remaining) || limit <= 0 || remaining > parallel * 2) return 0;
  return Math.min(maxPauseMs, Math.ceil((parallel * 60_000) / limit));
}
