import type { View } from "../../io/cells.ts";
import { col, detail } from "../define.ts";

export const queueView: View = {
  columns: [
    col("slot", "slot.id", "id"),
    col("game", "game.name"),
    col("playtester", "playtester.displayName"),
    col("length", "playtest.durationMinutes", "minutes"),
    col("video", "submission.videoFileSize", "bytes"),
    col("transcript", "transcription.status"),
    col("submitted", "submission.createdAt", "ago"),
    col("note", (item) => (item.awaitingAdminApproval ? "waits for the admin" : reportText(item))),
  ],
  empty: "Nothing waits for review.",
};

function reportText({ blockedReport }: Record<string, unknown>) {
  const report = blockedReport as { reasonCode: string } | null;
  return report ? `blocked: ${report.reasonCode}` : "";
}

const numbered = (lines: unknown) => (Array.isArray(lines) ? lines.map((line) => `• ${line}`).join("\n") : undefined);
const transcription = (slot: Record<string, unknown>) => slot.transcription as { status?: string; keyTakeaways?: unknown } | null;

export const slotView: View = {
  columns: [
    detail("Slot", "id", "id"),
    detail("Status", "status", "status"),
    detail("Game", "game.name"),
    detail("Playtest", "requestId", "id"),
    detail("Playtester", "playtester.displayName"),
    detail("Length", "playtest.durationMinutes", "minutes"),
    detail("Deadline", "deadlineAt", "ago"),
    detail("Submitted", "submission.createdAt", "ago"),
    detail("Video", "submission.videoFileSize", "bytes"),
    detail("Notes", "submission.notes"),
    detail("Rating", "rating.score"),
    detail("Comment", "rating.comment"),
    detail("Rejected because", "rejection.reason"),
    detail("Transcript", "transcription.status", "status"),
    detail("Takeaways", (slot) => numbered(transcription(slot)?.keyTakeaways)),
  ],
};

export const statsView: View = {
  columns: [col("games", "totalGames"), col("active playtests", "activePlaytests"), col("waiting reviews", "pendingReviews")],
};

export const acceptedView: View = {
  columns: [col("id", "id", "id"), col("playtester", "playtester"), col("payout", "payoutCents", "usd")],
};
