import type { Tx } from "../app/tx.ts";
import { disputeFeeTransfer, feeTransfer } from "../ledger/rules.ts";
import { post } from "../ledger/store.ts";
import type { DisputeState } from "./cards/processor.ts";
import * as reversals from "./reversals-store.ts";
import * as payments from "./store.ts";

/** Fees of card processors, in cents. Null if not known yet, or in another currency. */

/** Posts the fee of a completed payment once, as soon as it is known. */
export async function takeFee(
  tx: Tx,
  { id: paymentId, provider, owner_id: ownerId }: payments.PaymentRow,
  cents: number | null,
): Promise<void> {
  if (cents === null || cents <= 0 || !(await payments.setFee(tx, paymentId, cents))) return;
  await post(tx, feeTransfer({ paymentId, ownerId, processor: provider, cents }));
}

/** The total fee of a dispute so far. Some processors refund it, but only when the dispute is won: a lower total before that is outdated. */
export async function takeDisputeFee(
  tx: Tx,
  { id: paymentId, provider, owner_id: ownerId }: payments.PaymentRow,
  { id: disputeId, feeCents, state }: Pick<DisputeState, "id" | "feeCents" | "state">,
): Promise<void> {
  const dispute = await reversals.find(tx, disputeId);
  if (!dispute || dispute.fee_cents === feeCents || (feeCents < dispute.fee_cents && state !== "won")) return;
  const change = { disputeId, paymentId, ownerId, processor: provider, before: dispute.fee_cents, after: feeCents };
  if (await post(tx, disputeFeeTransfer(change))) await reversals.setFee(tx, disputeId, feeCents, tx.now);
}
