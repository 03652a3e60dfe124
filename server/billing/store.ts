import { type PaymentStatus, paymentMoves } from "../../src/contract/states/index.ts";
import type { CardProcessorName } from "../config/card-processors.ts";
import { keyset, type Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { sendRow } from "../database/rows.ts";
import { stateMachine } from "../database/state-machine.ts";

/** Ways to pay without a card. */
export type OtherProvider = "x402" | "credit" | "playtest_hours";

export type PaymentProvider = CardProcessorName | OtherProvider;

export interface PaymentRow {
  id: string;
  owner_id: string;
  amount_cents: number;
  status: PaymentStatus;
  provider: PaymentProvider;
  external_id: string;
  purpose: "credit" | "order" | "subscription";
  playtest_id: string | null;
  subscription_id: string | null;
  return_url: string | null;
  description: string | null;
  checkout_hash: string | null;
  expires_at: number | null;
  completed_at: number | null;
  flagged: string | null;
  created_at: number;
  updated_at: number;
}

/** Defaults for the columns that most payments leave empty. */
export const bare = {
  playtest_id: null,
  subscription_id: null,
  return_url: null,
  description: null,
  checkout_hash: null,
  expires_at: null,
  completed_at: null,
  flagged: null,
} as const;

/** A payment as it is inserted, with null for the columns that are left out. */
export type NewPayment = Omit<PaymentRow, keyof typeof bare> & Partial<PaymentRow>;

export const find = (q: Query, id: string) => q.one<PaymentRow>("SELECT * FROM payments WHERE id = ?", id);
export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<PaymentRow>("SELECT * FROM payments WHERE id = ? AND owner_id = ?", id, ownerId);
export const findByCheckout = (q: Query, hash: string) =>
  q.one<PaymentRow>("SELECT * FROM payments WHERE checkout_hash = ?", hash);

export function listForOwner(q: Query, ownerId: string, page: Page) {
  const { sql, values } = keyset(page, "p");
  return q.all<PaymentRow>(`SELECT p.* FROM payments p WHERE p.owner_id = ? ${sql}`, ownerId, ...values);
}

/** SQL: whether this payment arrived by card, even if it went back since. */
export const byCard = (table: string) =>
  `(${table}.provider NOT IN ('x402', 'credit', 'playtest_hours') AND ${table}.status IN ('completed', 'disputed', 'refunded'))`;

/** A subscription's newest payment in one of these states. */
export const latestOf = (q: Query, subscriptionId: string, ...statuses: PaymentStatus[]) =>
  q.one<PaymentRow>(
    `SELECT * FROM payments WHERE subscription_id = ? AND status IN (${statuses.map(() => "?").join(", ")})
      ORDER BY created_at DESC, id DESC LIMIT 1`,
    subscriptionId,
    ...statuses,
  );

/** Stores the processor's id of the payment. */
export const setReference = (tx: Query, id: string, reference: string) =>
  tx.run("UPDATE payments SET external_id = ? WHERE id = ?", reference, id);

/** Stores the amount that arrived and its transaction. */
export const setReceived = (tx: Query, id: string, reference: string, cents: number) =>
  tx.run("UPDATE payments SET external_id = ?, amount_cents = ? WHERE id = ?", reference, cents, id);

export const insert = (tx: Query, payment: NewPayment) => sendRow(tx, "payments", payment);

/** Webhooks can arrive late, so a transition is allowed from every state that has it, not only from the state that was read. */
export const { transitionFromAny } = stateMachine<PaymentRow, typeof paymentMoves>({
  noun: "payment",
  table: "payments",
  moves: paymentMoves,
});

/** Completes the payment. True for only one caller, which then posts it. */
export const complete = (tx: Query, payment: Pick<PaymentRow, "id">, now: number) =>
  transitionFromAny(tx, payment, "pay", { updated_at: now, completed_at: now });

/** Stores the processor's fee of a completed payment. False if it is stored already, or the payment is not completed. */
export const setFee = async (tx: Query, id: string, cents: number) =>
  (await tx.run(
    "UPDATE payments SET fee_cents = ? WHERE id = ? AND fee_cents = 0 AND status IN ('completed', 'disputed', 'refunded')",
    cents,
    id,
  )) === 1;

/** Flags the payment for the operator, with a reason. The same reason is added only once. */
export const flag = (tx: Query, id: string, reason: string) =>
  tx.run(
    `UPDATE payments SET flagged = CASE WHEN flagged IS NULL THEN ? ELSE flagged || '; ' || ? END
      WHERE id = ? AND (flagged IS NULL OR REPLACE(flagged, ?, '') = flagged)`,
    reason,
    reason,
    id,
    reason,
  );

/** Stores the id of a processor's webhook event. False if it is stored already. */
export const recordEvent = async (tx: Query, event: { provider: string; id: string; kind: string; now: number }) =>
  (await tx.run(
    "INSERT INTO processor_events (provider, event_id, kind, received_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    event.provider,
    event.id,
    event.kind,
    event.now,
  )) === 1;
