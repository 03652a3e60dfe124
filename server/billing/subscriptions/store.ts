import { subscriptionMoves } from "../../../src/contract/states/index.ts";
import type { Query } from "../../database/port.ts";
import { findRow, insertRow, updateRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import { stateMachine } from "../../database/state-machine.ts";

export type SubscriptionRow = Tables["subscriptions"];

export type RunningRow = SubscriptionRow & { readonly status: "active" | "past_due" };

export const find = (q: Query, id: string) => findRow(q, "subscriptions", { id });

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

/** The payments of the open checkouts of the owner for the plan. */
export const openPayments = (q: Query, { owner_id, plan_key }: Pick<SubscriptionRow, "owner_id" | "plan_key">) =>
  q.all<{ id: string }>(
    `SELECT p.id FROM payments p JOIN subscriptions s ON s.id = p.subscription_id
      WHERE p.owner_id = ? AND p.status = 'pending' AND s.plan_key = ? AND s.status = 'incomplete' ORDER BY p.id`,
    owner_id,
    plan_key,
  );

export const insert = (tx: Query, row: New<"subscriptions">) => insertRow(tx, "subscriptions", row);
export const update = (tx: Query, id: string, changes: Partial<Omit<SubscriptionRow, "status">>) =>
  updateRow(tx, "subscriptions", id, changes);

export const { isIn, requireMove, transition } = stateMachine({
  noun: "subscription",
  table: "subscriptions",
  moves: subscriptionMoves,
});
