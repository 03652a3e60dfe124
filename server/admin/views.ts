import { accountScopes } from "../accounts/service.ts";
import type { UserRow } from "../accounts/users-store.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import type { WaitingRow } from "../playtests/slots/reports-store.ts";
import type { ApprovalRow } from "./store.ts";

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

export const adminView = (user: UserRow) => ({
  id: user.id,
  name: user.display_name,
  scopes: [...accountScopes(user)],
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
  ownerName: approval.owner_name,
  videoUrl,
  createdAt: iso(approval.created_at),
});

export const problemView = (report: WaitingRow) => ({
  id: report.id,
  slotId: report.slot_id,
  playtestId: report.playtest_id,
  gameId: report.game_id,
  gameName: report.game_name,
  owner: { id: report.owner_id, displayName: report.owner_name },
  playtester: { id: report.playtester_id, displayName: report.playtester_name },
  reasonCode: report.reason_code,
  notes: report.notes,
  reportedAt: iso(report.reported_at),
  answerBy: isoOrNull(report.answer_by),
});
