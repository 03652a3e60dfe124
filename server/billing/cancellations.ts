import type { Tx } from "../app/tx.ts";
import { badRequest } from "../lib/api-error.ts";
import { emitSubscription, end, runningOf } from "./subscriptions/service.ts";
import * as subscriptions from "./subscriptions/store.ts";

type Row = subscriptions.SubscriptionRow;

/**
 * Schedules the end of the plan for the end of its period. A repeated call changes nothing. A past due plan has no paid period left, so
 * it ends at once. 400 without a running plan.
 */
export async function cancelAtPeriodEnd(tx: Tx, ownerId: string): Promise<Row> {
  const row = await runningOf(tx, ownerId);
  if (!row) throw badRequest("There is no active subscription to cancel. Nothing was changed.");
  if (row.cancel_at_period_end === 1) return row;
  const now = tx.now;
  const changes = { cancel_at_period_end: 1, cancelled_at: now, updated_at: now };
  await subscriptions.update(tx, row.id, changes);
  const cancelled = { ...row, ...changes };
  const result = row.status === "past_due" ? await end(tx, cancelled, "cancelled") : cancelled;
  await emitSubscription(tx, "subscription.cancelled", result);
  return result;
}

/** Undoes a scheduled cancellation. 400 if none is scheduled. */
export async function resume(tx: Tx, ownerId: string): Promise<Row> {
  const row = await runningOf(tx, ownerId);
  if (row?.cancel_at_period_end !== 1)
    throw badRequest("No cancellation is scheduled, so there is nothing to resume. Nothing was changed.");
  const changes = { cancel_at_period_end: 0, cancelled_at: null, updated_at: tx.now };
  await subscriptions.update(tx, row.id, changes);
  return { ...row, ...changes };
}
