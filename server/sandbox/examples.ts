import type { EventKind } from "../../src/contract/events/kinds.ts";
import { type EventData, eventPayloads } from "../../src/contract/events/payloads.ts";
import { slotStatuses } from "../../src/contract/states/index.ts";

const values: Record<string, unknown> = {
  amountCents: 2000,
  balanceCents: 1500,
  thresholdCents: 2000,
  decision: "rejected",
  verdict: "approved",
  totalCents: 2000,
  period: "day",
  percent: 80,
  limitCents: 5000,
  spentCents: 4000,
  limitMinutes: null,
  spentMinutes: 0,
  limitSlots: null,
  spentSlots: 2,
  reason: "The build does not start.",
  provider: "sandbox",
  planKey: "indie_monthly",
  senderType: "playtester",
  reasonCode: "crash",
  notes: "Black screen after the menu.",
  outcome: "unblocked",
  number: 7,
  title: "Nobody finds the lantern",
  unused: 0,
  needed: 1,
  message: "Fixed. Please download the game again.",
  url: "https://example.com/webhook",
  adapter: "youtube",
  answer: "accepted",
  payoutCents: 1000,
  shareCents: 1000,
  absence: "left",
  ending: "expired",
  slots: Object.fromEntries(slotStatuses.map((status) => [status, status === "accepted" ? 1 : 0])),
};

const statusOf = (kind: EventKind) => {
  if (kind === "payment.failed") return "failed";
  if (kind.startsWith("payment.")) return "completed";
  if (kind.startsWith("finding.")) return kind === "finding.closed" ? "fixed" : "open";
  return kind === "subscription.payment_failed" ? "past_due" : "active";
};

/** Example data for an event of this kind, with ids of things that do not exist. `now` is ISO 8601. */
export function exampleData(kind: EventKind, from: { now: string; newId(): string }): EventData {
  const payload = eventPayloads[kind];
  const exampleOf = (field: string) => {
    if (field === "status") return statusOf(kind);
    if (kind === "payment.dispute_ended" && field === "outcome") return "won";
    if (field.endsWith("At") || field === "answerBy") return from.now;
    return Object.hasOwn(values, field) ? values[field] : from.newId();
  };
  return payload.parse(Object.fromEntries(Object.keys(payload.shape).map((field) => [field, exampleOf(field)])));
}
