import type { UserRow } from "../accounts/users-store.ts";
import { coins } from "../billing/crypto/rules.ts";
import type { SuspenseRow } from "../billing/suspense-store.ts";
import { iso, isoOrNull } from "../playtests/views.ts";
import type { ApprovalRow, PayoutRow } from "./store.ts";

export const accountView = (user: UserRow) => ({
  id: user.id,
  email: user.email,
  role: user.role,
  displayName: user.display_name,
  companyName: user.company_name,
  emailVerified: user.email_verified_at !== null,
  suspendedAt: isoOrNull(user.suspended_at),
  createdAt: iso(user.created_at),
});

export const approvalView = (approval: ApprovalRow, videoUrl: string | null) => ({
  kind: approval.kind,
  playtestId: approval.playtest_id,
  slotId: approval.slot_id,
  gameId: approval.game_id,
  gameName: approval.game_name,
  ownerId: approval.owner_id,
  videoUrl,
  createdAt: iso(approval.created_at),
});

export const payoutView = (payout: PayoutRow) => ({
  id: payout.id,
  userId: payout.user_id,
  amountCents: payout.amount_cents,
  status: payout.status,
  createdAt: iso(payout.created_at),
  failedAt: isoOrNull(payout.failed_at),
});

export const suspenseView = (entry: SuspenseRow) => ({
  id: entry.id,
  status: entry.status,
  reason: entry.note ?? "unclear",
  amountCents: entry.value_cents,
  chain: entry.chain,
  currency: entry.currency,
  cryptoAmount: coins(BigInt(entry.amount_atomic), entry.currency),
  txHash: entry.tx_hash,
  userId: entry.credited_to ?? entry.owner_id,
  paymentId: entry.payment_id,
  note: entry.resolution,
  resolvedBy: entry.resolved_by,
  resolvedAt: isoOrNull(entry.resolved_at),
  createdAt: iso(entry.created_at),
});
