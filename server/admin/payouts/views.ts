import { iso, isoOrNull } from "../../lib/time.ts";
import type { Owed } from "./owed.ts";
import type { PayoutRow } from "./store.ts";

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

export const payoutView = (payout: PayoutRow) => ({
  id: payout.id,
  userId: payout.user_id,
  amountCents: payout.amount_cents,
  status: payout.status,
  createdAt: iso(payout.created_at),
  failedAt: isoOrNull(payout.failed_at),
});
