import type { EndedReason } from "../../../src/contract/billing.ts";
import { type SubscriptionStatus, subscriptionMoves } from "../../../src/contract/states/index.ts";
import type { CardProcessorName } from "../../config/card-processors.ts";
import type { Query } from "../../database/port.ts";
import { insertRow, updateRow } from "../../database/rows.ts";
import { stateMachine } from "../../database/state-machine.ts";
import type { PlanKey } from "./plans.ts";

export interface SubscriptionRow {
  id: string;
  owner_id: string;
  plan_key: PlanKey;
  status: SubscriptionStatus;
  provider: CardProcessorName;
  checkout_expires_at: number;
  /** The processor's id of the card that renewals charge. Never a card number. */
  card: string | null;
  /** When the subscription started. Periods are whole months or years from this time. */
  anchor_at: number | null;
  period_index: number;
  current_period_start: number | null;
  /** The end of the current period, when the next renewal is due. */
  current_period_end: number | null;
  /** The number of failed attempts to charge the renewal that is due. */
  failed_renewals: number;
  cancel_at_period_end: number;
  cancelled_at: number | null;
  ended_at: number | null;
  ended_reason: EndedReason | null;
  created_at: number;
  updated_at: number;
}

export type RunningRow = SubscriptionRow & { readonly status: "active" | "past_due" };

export const find = (q: Query, id: string) => q.one<SubscriptionRow>("SELECT * FROM subscriptions WHERE id = ?", id);

/** The subscription of the owner that is active or past due. */
export const findRunning = (q: Query, ownerId: string) =>
  q.one<RunningRow>("SELECT * FROM subscriptions WHERE owner_id = ? AND status IN ('active', 'past_due')", ownerId);

/** The running subscription, else the last one that ended after it had started, else the newest checkout. */
export const findCurrent = (q: Query, ownerId: string) =>
  q.one<SubscriptionRow>(
    `SELECT * FROM subscriptions WHERE owner_id = ?
      ORDER BY CASE WHEN status IN ('active', 'past_due') THEN 0 WHEN anchor_at IS NOT NULL THEN 1 ELSE 2 END,
        CASE WHEN anchor_at IS NOT NULL THEN ended_at ELSE created_at END DESC, id DESC LIMIT 1`,
    ownerId,
  );

export const insert = (tx: Query, row: SubscriptionRow) => insertRow(tx, "subscriptions", row);
export const update = (tx: Query, id: string, changes: Partial<Omit<SubscriptionRow, "status">>) =>
  updateRow(tx, "subscriptions", id, changes);

export const { isIn, requireMove, transition } = stateMachine<SubscriptionRow, typeof subscriptionMoves>({
  noun: "subscription",
  table: "subscriptions",
  moves: subscriptionMoves,
});
