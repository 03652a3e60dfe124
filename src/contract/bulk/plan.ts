import { plural } from "../text/plural.ts";
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

/** What an account lacks for orders. */
export interface Shortfall {
  reason: string;
  cents?: number;
  minutes?: number;
}

/** The price of a slot, and the funds; those are absent where they may not be read. */
export interface SlotPrice {
  costPerSlotCents?: number | undefined;
  balanceCents?: number | undefined;
  minutesAvailable?: number | undefined;
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

/** What the price of a row depends on: an order of one slot of its kind. */
export const shapeOrder = ({ order: { visibility, durationMinutes, playerCount } }: Row) => ({
  visibility,
  durationMinutes: durationMinutes as 30,
  playerCount,
  quantity: 1,
});

/** Asks for one price for each distinct kind of order, instead of one for each row. */
export async function pricesOf<P>(rows: readonly Row[], ask: (row: Row) => Promise<P>): Promise<Map<string, P>> {
  const prices = new Map<string, P>();
  for (const row of rows) if (!prices.has(shapeOf(row))) prices.set(shapeOf(row), await ask(row));
  return prices;
}

export const pays = ["any", "hours", "credit"] as const;
export type Pay = (typeof pays)[number];

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

/** What is known of rows before they are planned, by their keys. */
interface Before {
  /** How a plan that was shown pays rows. They stay as they are, whatever was paid since. */
  shown?: ReadonlyMap<string, PayWith | undefined>;
  /** Rows that may be ordered, and then paid, already: the funds need not cover them, and are left to the others. */
  unsure?: ReadonlySet<string>;
}

/** Assigns a payment method to each row as the server would: hours if they cover all of it, else credit. Stops when the funds run out. */
export function makePlan(
  rows: readonly Row[],
  prices: ReadonlyMap<string, SlotPrice>,
  pay: Pay,
  { shown, unsure }: Before = {},
): Plan {
  const [some] = prices.values();
  const { balanceCents, minutesAvailable } = some ?? {};
  const funds: Funds = {
    cents: balanceCents ?? Number.POSITIVE_INFINITY,
    minutes: minutesAvailable ?? (pay === "hours" ? Number.POSITIVE_INFINITY : 0),
  };
  const endless: Funds = {
    cents: Number.POSITIVE_INFINITY,
    minutes: pay === "hours" ? Number.POSITIVE_INFINITY : funds.minutes,
  };
  let ended = false;
  const planned = rows.map((row): Planned => {
    const { costPerSlotCents = 0 } = prices.get(shapeOf(row))!;
    const price = costPerSlotCents * row.order.quantity;
    const minutes = price === 0 ? 0 : row.order.durationMinutes * row.order.playerCount * row.order.quantity;
    const isUnsure = unsure?.has(row.key) === true;
    const planWith = () =>
      isUnsure ? payRow(price, minutes, endless, pay) : ended ? undefined : payRow(price, minutes, funds, pay);
    const payWith = shown?.has(row.key) ? shown.get(row.key) : planWith();
    ended ||= payWith === undefined;
    if (payWith === "credit" && !isUnsure) funds.cents -= price;
    if (payWith === "hours" && !isUnsure) funds.minutes -= minutes;
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
      reason: rowsNotCovered(beyond.length),
      ...(beyondCents > funds.cents && { cents: beyondCents - funds.cents }),
      ...(beyondMinutes > funds.minutes && { minutes: beyondMinutes - funds.minutes }),
    },
    balanceCents,
    minutesAvailable,
  };
}

const rowsNotCovered = (rows: number) =>
  rows === 1 ? "The funds do not cover the last row" : `The funds do not cover the last ${rows} rows`;

/** Writes cents for people. */
export type Usd = (cents: number) => string;

/** What of credit and playtest minutes, whichever is not zero. */
export const sumText = (cents: number, minutes: number, usd: Usd): string =>
  [...(cents > 0 || minutes === 0 ? [usd(cents)] : []), ...(minutes > 0 ? [`${minutes} playtest minutes`] : [])].join(" and ");

export const neededText = ({ cents, minutes }: Plan["missing"], usd: Usd): string =>
  cents === undefined && minutes === undefined
    ? ""
    : `: ${minutes === undefined ? `${usd(cents!)} more credit is` : `${minutes} more playtest minutes are`} needed`;

/** Which rows the funds do not cover, what they cost, and how much is missing. */
export const notCovered = ({ beyondCents, beyondMinutes, missing }: Plan, usd: Usd): string =>
  `${missing.reason} (${sumText(beyondCents, beyondMinutes, usd)})${neededText(missing, usd)}.`;

/** A plan that costs nothing says nothing about money where the server runs without payments. */
export function planText(plan: Plan, { usd, withoutPayments = false }: { usd: Usd; withoutPayments?: boolean }): string {
  const { rows, slots, beyond, balanceCents } = plan;
  const [cents, minutes] = [plan.cents + plan.beyondCents, plan.minutes + plan.beyondMinutes];
  if (withoutPayments && cents === 0 && minutes === 0) return `${plural(rows.length, "order")}, ${plural(slots, "slot")}.`;
  const balance = balanceCents === undefined ? "" : `; the balance is ${usd(balanceCents)}`;
  const shortage = beyond > 0 ? ` ${notCovered(plan, usd)}` : "";
  return `${plural(rows.length, "order")}, ${plural(slots, "slot")}: ${sumText(cents, minutes, usd)}${balance}.${shortage}`;
}
