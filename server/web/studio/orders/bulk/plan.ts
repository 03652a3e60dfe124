import type { Fault } from "../../../../../src/contract/bulk/columns.ts";
import type { Ordered } from "../../../../../src/contract/bulk/ordered.ts";
import {
  makePlan,
  type Pay,
  type PayWith,
  type Plan,
  type Planned,
  pays,
  pricesOf,
  type Shortfall,
  type SlotPrice,
  shapeOrder,
} from "../../../../../src/contract/bulk/plan.ts";
import { readOrders } from "../../../../../src/contract/bulk/read.ts";
import { settleRefs } from "../../../../../src/contract/bulk/refs.ts";
import type { Row } from "../../../../../src/contract/bulk/rows.ts";
import { parseRecords } from "../../../../../src/contract/files/records.ts";
import { contentKey } from "../../../../../src/contract/hash/content-key.ts";
import { apiErrorOf } from "../../../../http/reply.ts";
import type { Form } from "../../../types.ts";
import type { StudioContext } from "../../types.ts";
import { accountOf, knownOrders } from "./account.ts";
import { mostRows, type Source, tooMany } from "./source.ts";

/** What the rows of a source cost and how they are paid, and whether that is what was shown. */

export interface Ready {
  source: Source;
  /** Every row, also those that were ordered before. */
  rows: readonly Planned[];
  /** What was ordered before, by the keys of the rows. */
  ordered: ReadonlyMap<string, Ordered>;
  plan: Plan;
  /** What does not keep the rows from being ordered. */
  notes: readonly string[];
  keepsRefs: boolean;
  /** What the button orders, as hidden fields of its form. */
  shown: Shown;
}

/** A plan as it was shown. The same rows at the same prices are ordered, paid as it says, and nothing else. */
interface Shown {
  /** A hash of what the rows and options say. */
  rows: string;
  /** How each row is paid, in their order. */
  ways: string;
  /** The prices of a slot, by the kind of order. */
  prices: string;
  /** When it was shown, in milliseconds. */
  at: string;
}

/** The letter of a row that was ordered before. */
const orderedBefore = "o";
/** The letters of the ways to pay; another one stands for a row that the funds do not cover. */
const letters: Readonly<Record<string, PayWith>> = { f: "free", h: "hours", c: "credit" };
const letterOf = (way: PayWith | undefined) => way?.charAt(0) ?? "n";

export const payIn = ({ pay }: Form): Pay => pays.find((one) => one === pay) ?? "any";

const given = ({ form }: StudioContext, file: string) => ({
  file,
  batch: form.batch?.trim() ?? "",
  ignore: form.ignore?.trim() ? [form.ignore] : [],
  leaveOut: "let its name begin with #, or name it under “Columns to leave out”",
  noGame: "no game is chosen for rows without one",
});

async function readRows(context: StudioContext, { text, format, file }: Source) {
  const records = await parseRecords(text, file, format);
  if (records.records.length > mostRows) throw tooMany(file, records.records.length);
  return readOrders(records, given(context, file), accountOf(context, context.form.gameId || undefined));
}

interface Price extends SlotPrice {
  costPerSlotCents: number;
}

async function quotes({ call }: StudioContext, rows: readonly Row[], notes: string[]): Promise<Map<string, Price>> {
  return pricesOf(rows, async (row): Promise<Price> => {
    const { data } = await call("quotePlaytest", { body: { ...shapeOrder(row), gameId: row.game } });
    const { costPerSlotCents, balanceCents, playtestMinutesAvailable: minutesAvailable, warnings = [] } = data;
    notes.push(...warnings);
    return { costPerSlotCents, balanceCents, minutesAvailable };
  });
}

/** How the plan that was shown pays these rows. Undefined if it was for other rows. */
function shownWays({ form }: StudioContext, rows: readonly Row[], seen: string) {
  if (form.rows !== seen || form.ways?.length !== rows.length) return undefined;
  return new Map(rows.map(({ key }, index) => [key, letters[form.ways!.charAt(index)]]));
}

/**
 * The plan of the rows, or everything that is wrong with them. Throws a `Refused`. `asShown`: rows are paid as the form says that they
 * were shown; else by what the account has now.
 */
export async function readPlan(
  context: StudioContext,
  source: Source,
  asShown: boolean,
): Promise<Ready | { faults: readonly Fault[] }> {
  const read = await readRows(context, source);
  if (read.faults.length > 0) return { faults: read.faults };
  const notes: string[] = [];
  const settled = await settleRefs(
    knownOrders(context, (message) => notes.push(message)),
    read.rows,
  );
  if (settled.faults.length > 0) return { faults: settled.faults };
  const { rows: all, ordered, kept } = settled;
  const open = all.filter(({ key }) => !ordered.has(key));
  const prices = await quotes(context, open, notes);
  const seen = contentKey([payIn(context.form), ...read.rows.map(({ keyByContent, orderRef }) => [keyByContent, orderRef])]);
  const plan = makePlan(open, prices, payIn(context.form), asShown ? { shown: shownWays(context, all, seen) } : {});
  const planned = new Map(plan.rows.map((row) => [row.key, row]));
  const rows = all.map((row): Planned => planned.get(row.key) ?? { ...row, cents: 0, minutes: 0, payWith: "free" });
  const ways = rows.map(({ key, payWith }) => (ordered.has(key) ? orderedBefore : letterOf(payWith))).join("");
  const perSlot = [...prices].map(([shape, { costPerSlotCents }]) => [shape, costPerSlotCents]);
  const shown = { rows: seen, ways, prices: JSON.stringify(Object.fromEntries(perSlot)), at: String(context.now) };
  return { source, rows, ordered, plan, notes, keepsRefs: kept, shown };
}

/** What the account lacks for rows now. */
export async function missingFor(context: StudioContext, rows: readonly Row[]): Promise<Shortfall> {
  try {
    return makePlan(rows, await quotes(context, rows, []), payIn(context.form)).missing;
  } catch (error) {
    // What was ordered until now is more important than what is missing.
    const problem = apiErrorOf(error);
    if (problem !== error && problem.code === "INTERNAL_ERROR") throw error;
    return { reason: "" };
  }
}

/** The server knows the key of a row for 24 hours from its first order, so a plan is sent again soon or not at all. */
const planLifetimeMs = 3_600_000;

const pricesIn = (text: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    const prices: unknown = JSON.parse(text ?? "");
    return typeof prices === "object" && prices !== null ? (prices as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

/** Why a plan is not ordered as it is now: something changed since it was shown. Undefined if nothing did. */
export function changeSince({ form, now }: StudioContext, { shown }: Ready): string | undefined {
  if (!(now - Number(form.at) <= planLifetimeMs)) return "This plan was shown more than an hour ago.";
  if (form.rows !== shown.rows) return "The rows or options have changed since the plan was shown.";
  const isOpenAgain = [...shown.ways].some((way, index) => way !== orderedBefore && form.ways?.charAt(index) === orderedBefore);
  if (isOpenAgain) return "The order of a row was cancelled since the plan was shown.";
  const shownPrices = pricesIn(form.prices);
  const isSame = Object.entries(pricesIn(shown.prices)).every(([shape, cents]) => shownPrices[shape] === cents);
  return isSame ? undefined : "The prices have changed since the plan was shown.";
}
