import type { Data, Reply } from "../index.ts";
import type { PlaytestStatus } from "../states/index.ts";
import type { Row } from "./rows.ts";

/** The order that was placed for a row. */
export interface Ordered {
  playtestId: string;
  status: PlaytestStatus;
  cents: number;
  minutes: number;
  paidWith: string;
}

/** What earlier runs ordered, as far as this computer knows. */
export interface EarlierRuns {
  /** The order that an earlier run placed for a key. */
  ordered(key: string): Ordered | undefined;
  /** The order that an earlier run placed for a row as it is. */
  orderedAs(row: Row): Ordered | undefined;
  /** Whether an earlier run ordered a row with other game keys, which no server shows. */
  hasOtherKeys(row: Row): boolean;
}

export type OrderReply = Data<"createPlaytest">;

/** Whether the reply is that of an earlier run, which placed the order: this one charged nothing. */
export const isEarlierOrder = ({ headers = {}, repeated = false }: Pick<Reply<unknown>, "headers" | "repeated">): boolean =>
  headers["idempotency-replayed"] === "true" && !repeated;

/** What an order costs by its own reply, in cents: 0 if hours pay for it. Undefined if the reply does not say. */
export function costOf(reply: OrderReply): number | undefined {
  if ("paidWithPlaytestHours" in reply) return 0;
  if ("totalCents" in reply && typeof reply.totalCents === "number") return reply.totalCents;
  const { costPerSlotCents, quantity } = reply.playtest;
  return typeof costPerSlotCents === "number" ? costPerSlotCents * quantity : undefined;
}

/** Whether an order costs nothing, as far as its reply says. */
export const isFree = (reply: OrderReply): boolean =>
  reply.playtest.visibility === "public" || reply.playtest.isFreePublicTrial === true || costOf(reply) === 0;

const paidWith = (reply: OrderReply) => {
  if ("paidWithPlaytestHours" in reply) return "hours";
  if ("paidWithCredit" in reply) return "credit";
  if ("requiresPayment" in reply) return "none";
  return isFree(reply) ? "free" : "not reported";
};

export function orderedBy(reply: OrderReply): Ordered {
  const { id: playtestId, status } = reply.playtest;
  const cents = status === "pending_payment" ? 0 : (costOf(reply) ?? 0);
  const minutes = "paidWithPlaytestHours" in reply ? (reply.playtestMinutesUsed ?? 0) : 0;
  return { playtestId, status, cents, minutes, paidWith: paidWith(reply) };
}
