import { plural } from "../text/plural.ts";
import type { Ordered } from "./ordered.ts";
import type { PayWith, Planned, Usd } from "./plan.ts";
import type { Row } from "./rows.ts";

/** The order of events when the rows of a file are ordered, whoever sends them. */

export interface Done extends Ordered {
  row: Planned;
  /** Whether an earlier run ordered it. */
  skipped: boolean;
}

/** `E`: an error as the sender knows it. */
export interface Failure<E> {
  row: Planned;
  error: E;
}

export interface Tally<E extends object> {
  done: Done[];
  failed: Failure<E>[];
  /** Why it stopped before the last row. */
  stopped: "funds" | "limit" | "signal" | E | undefined;
}

/** The order that an earlier run placed for a row, here or elsewhere. */
export type Earlier = (row: Row) => Ordered | undefined;

/** How rows are sent. */
export interface Sender<E extends object> {
  earlier: Earlier;
  /** Maximum total cost in cents. */
  maxCents: number | undefined;
  /** Waits until the next request may be sent. Returns false when no more should be. */
  ready(): Promise<boolean>;
  /** Why a row must not be sent. */
  refusal(row: Planned): E | undefined;
  /** Places the order of a row. `skipped`: the server had placed it before. */
  place(row: Planned): Promise<Ordered & { skipped: boolean }>;
  /** Why a row was not ordered; `ends`: every other row would get the same. Throws an error that is none of a row. */
  failed(row: Planned, error: unknown): Promise<{ error: E; ends?: boolean } | "funds">;
  /** A row was ordered at another price than was planned. `spent`: what the rows so far cost. */
  overpriced(row: Planned, cents: number, spent: number): void;
  /** Called with each row when its outcome is known. */
  onRow(row: Done | Failure<E>, tally: Tally<E>): Promise<void>;
}

/** The tally of the rows that `one` orders; several may be under way at once. Each row has an outcome or can be retried with its key. */
export function createSending<E extends object>(sender: Sender<E>): { tally: Tally<E>; one(row: Planned): Promise<void> } {
  const tally: Tally<E> = { done: [], failed: [], stopped: undefined };
  let spent = 0;

  const stop = (reason: NonNullable<Tally<E>["stopped"]>) => {
    tally.stopped ??= reason;
  };

  async function ordered(done: Done) {
    tally.done.push(done);
    await sender.onRow(done, tally);
  }

  async function failed(failure: Failure<E>) {
    tally.failed.push(failure);
    await sender.onRow(failure, tally);
  }

  async function send(row: Planned) {
    if (!(await sender.ready())) stop("signal");
    if (tally.stopped !== undefined) return;
    if (sender.maxCents !== undefined && spent + row.cents > sender.maxCents) return stop("limit");
    const planned = row.payWith === "credit" ? row.cents : 0;
    spent += planned;
    const { skipped, ...order } = await sender.place(row);
    // A server without quotes may ask another price than was planned. What it replays was charged by an earlier run.
    spent += (skipped ? 0 : order.cents) - planned;
    if (!skipped && order.cents > row.cents) sender.overpriced(row, order.cents, spent);
    await ordered({ row, ...order, skipped });
    if (order.status === "pending_payment") stop("funds");
  }

  async function fail(row: Planned, error: unknown) {
    const why = await sender.failed(row, error);
    if (why === "funds") return stop("funds");
    if (why.ends) return stop(why.error);
    await failed({ row, error: why.error });
  }

  async function one(row: Planned) {
    const earlier = sender.earlier(row);
    if (earlier) return ordered({ row, ...earlier, skipped: true });
    if (tally.stopped !== undefined) return;
    const refusal = sender.refusal(row);
    if (refusal !== undefined) return failed({ row, error: refusal });
    if (row.payWith === undefined) return stop("funds");
    await send(row).catch((error: unknown) => fail(row, error));
  }

  return { tally, one };
}

/** What is sent for a row. A server that keeps no refs may refuse the field. */
export const bodyOf = ({ order, orderRef }: Planned, keepsRefs: boolean) => ({
  ...order,
  ...(keepsRefs && orderRef !== undefined && { ref: orderRef }),
});

/** What an order costs, in cents, and what pays for it. Undefined where nothing does. */
interface Bill {
  cents: number;
  payWith: PayWith | "card" | undefined;
}

/** Has an order paid as was shown, or not placed at all. */
export const methodHeader = ({ payWith }: Pick<Bill, "payWith">): Record<string, string> =>
  payWith === undefined || payWith === "free" ? {} : { "x-payment-method": payWith };

/** Has an order cost what was shown, or not placed at all. Servers that do not know the header ignore it. */
export const costHeader = ({ payWith, cents }: Bill): Record<string, string> =>
  payWith === "hours" ? {} : { "x-max-cost-cents": String(cents) };

export const otherContent = ({ ref }: Planned): string =>
  `${JSON.stringify(ref)} was ordered before with other content, so nothing was ordered for it. To change that order, look for it with ` +
  "`playtest playtests list` and use `playtest playtests update`. For another order, give the row a new ref.";

export interface Counts {
  ordered: number;
  skipped: number;
  failed: number;
  /** Rows that were not tried. */
  left: number;
  spentCents: number;
  spentMinutes: number;
}

export function countsOf(rows: number, { done, failed }: Pick<Tally<object>, "done" | "failed">): Counts {
  const fresh = done.filter(({ skipped }) => !skipped);
  const sum = (name: "cents" | "minutes") => fresh.reduce((total, order) => total + order[name], 0);
  return {
    ordered: fresh.length,
    skipped: done.length - fresh.length,
    failed: failed.length,
    left: rows - done.length - failed.length,
    spentCents: sum("cents"),
    spentMinutes: sum("minutes"),
  };
}

/** What became of the rows of a file, as a sentence. */
export function countsText(counts: Counts, { usd, withoutPayments = false }: { usd: Usd; withoutPayments?: boolean }): string {
  const { ordered, skipped, failed, left, spentCents, spentMinutes } = counts;
  const isFree = withoutPayments && spentCents === 0 && spentMinutes === 0;
  const minutes = spentMinutes > 0 ? ` and ${spentMinutes} playtest minutes` : "";
  const price = isFree ? "" : ` for ${usd(spentCents)}${minutes}`;
  return `${plural(ordered, "playtest")} ordered${price}; ${skipped} already ordered, ${failed} failed, ${left} left.`;
}
