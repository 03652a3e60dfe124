import type { Tx } from "../app/tx.ts";
import { accounts } from "../ledger/rules.ts";
import { balance, post } from "../ledger/store.ts";
import { settleMinutes } from "./subscriptions/rules.ts";

/** Settles owed minutes. Call it after minutes were added. `id` identifies what added them. */
export async function settleOwedMinutes(tx: Tx, ownerId: string, refs: { id: string; paymentId?: string }): Promise<void> {
  const owed = await balance(tx, accounts.minutesReceivable(ownerId));
  const minutes = Math.min(owed, await balance(tx, accounts.minutes(ownerId)));
  if (minutes > 0) await post(tx, settleMinutes(ownerId, refs, minutes));
}
