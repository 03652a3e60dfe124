import type { PayoutStatus } from "../../../src/contract/states/index.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { Owed } from "./owed.ts";
import type { CountedBatchRow, NamedPayoutRow } from "./store.ts";

export const owedView = (owed: Owed) => ({
  userId: owed.id,
  displayName: owed.display_name,
  email: owed.email,
  balanceCents: owed.unpaid.balanceCents,
  availableCents: owed.unpaid.availableCents,
  heldCents: owed.unpaid.heldCents,
  nextReleaseAt: isoOrNull(owed.unpaid.nextReleaseAt),
  disputedCents: owed.unpaid.disputedCents,
  method: owed.method,
  obstacle: owed.obstacle,
  detailsUsableFrom: isoOrNull(owed.detailsUsableFrom),
});

export const payoutView = (payout: NamedPayoutRow) => ({
  id: payout.id,
  userId: payout.user_id,
  displayName: payout.display_name,
  batchId: payout.batch_id,
  reference: payout.reference,
  method: payout.method,
  masked: payout.masked,
  amountCents: payout.amount_cents,
  status: payout.status,
  createdAt: iso(payout.created_at),
  completedAt: isoOrNull(payout.completed_at),
  failedAt: isoOrNull(payout.failed_at),
  failure: payout.failure,
});

export function batchView(batch: CountedBatchRow) {
  const counted = (status: PayoutStatus) => ({ payouts: batch[`${status}_count`], amountCents: batch[`${status}_cents`] });
  const [pending, completed, failed] = [counted("pending"), counted("completed"), counted("failed")];
  const all = [pending, completed, failed];
  return {
    id: batch.id,
    createdBy: batch.created_by,
    createdByName: batch.created_by_name,
    method: batch.method,
    minCents: batch.min_cents,
    createdAt: iso(batch.created_at),
    total: {
      payouts: all.reduce((sum, { payouts }) => sum + payouts, 0),
      amountCents: all.reduce((sum, { amountCents }) => sum + amountCents, 0),
    },
    pending,
    completed,
    failed,
  };
}
