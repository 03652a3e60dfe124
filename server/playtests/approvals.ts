import { listApprovers } from "../accounts/service.ts";
import type { Tx } from "../app/tx.ts";
import { emit, type Recipient } from "../events/emit.ts";
import { mailAbout, mailUserAbout } from "../events/event-mails.ts";
import * as games from "../games/store.ts";
import { approvalPendingLetter, trialApprovedLetter, trialRejectedLetter } from "./letters.ts";
import type { PlaytestRow } from "./store.ts";

/** Tells the admins who may approve that a free trial, or the video of one of its slots, waits for that. */
export async function announceApproval(
  tx: Tx,
  playtest: Pick<PlaytestRow, "id" | "game_id">,
  slotId: string | null,
): Promise<void> {
  const admins = await listApprovers(tx);
  const gameName = (await games.find(tx, playtest.game_id))?.name ?? "";
  const recipients = admins.map(({ id }): Recipient => ({ id, role: "admin" }));
  await emit(tx, recipients, {
    kind: "approval.pending",
    data: { playtestId: playtest.id, gameId: playtest.game_id, slotId },
    notice: { gameName, pending: slotId === null ? "trial" : "video" },
  });
  const letter = approvalPendingLetter({ config: tx.config, gameName, playtestId: playtest.id, slotId });
  for (const admin of admins) await mailAbout(tx, admin, "approval.pending", letter);
}

/** Tells the owner of a free trial what became of it, and why. */
export async function announceDecision(
  tx: Tx,
  playtest: PlaytestRow,
  decision: "approved" | "rejected",
  reason: string | undefined,
): Promise<void> {
  const gameName = (await games.find(tx, playtest.game_id))!.name;
  await emit(tx, [{ id: playtest.owner_id, role: "game_owner" }], {
    kind: "approval.decided",
    data: { playtestId: playtest.id, gameId: playtest.game_id, decision, reason: reason ?? null },
    notice: { gameName, decision, reason },
  });
  const about = { config: tx.config, gameName, playtestId: playtest.id };
  const letter = decision === "approved" ? trialApprovedLetter(about) : trialRejectedLetter({ ...about, reason });
  await mailUserAbout(tx, playtest.owner_id, "approval.decided", letter);
}
