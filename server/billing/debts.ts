import type { Tx } from "../app/tx.ts";
import { accounts, settleTransfer } from "../ledger/rules.ts";
import { balance, post } from "../ledger/store.ts";
import { settleMinutes } from "./subscriptions/rules.ts";

/** What added the credit or minutes that settle a debt. `id` identifies it. */
interface Cause {
  id: string;
  paymentId?: string;
  playtestId?: string;
}

/** Settles owed credit with the `cents` that were just added to the owner's credit. */
export async function settleOwedCredit(tx: Tx, ownerId: string, cents: number, cause: Cause): Promise<void> {
  const settles = Math.min(await balance(tx, accounts.receivable(ownerId)), cents);
  if (settles > 0) await post(tx, settleTransfer({ ...cause, ownerId, cents: settles }));
}

/** Settles owed minutes. Call it after minutes were added. */
export async function settleOwedMinutes(tx: Tx, ownerId: string, cause: Cause): Promise<void> {
  const owed = await balance(tx, accounts.minutesReceivable(ownerId));
  if (owed === 0) return;
  const minutes = Math.min(owed, await balance(tx, accounts.minutes(ownerId)));
  if (minutes > 0) await post(tx, settleMinutes(ownerId, cause, minutes));
}
