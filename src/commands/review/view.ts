import { col, detail, whileStatus } from "../../cli/define.ts";
import { lengthText } from "../../contract/text/length.ts";
import { positionText } from "../../contract/text/position.ts";
import { type VideoFormat, videoFormatText } from "../../contract/text/video-format.ts";
import type { View } from "../../io/cells.ts";
import { usd } from "../../io/text.ts";

export const nothingWaiting = "No submissions are waiting for review.";

export const queueView: View = {
  columns: [
    col("slot", "slot.id", "id"),
    col("game", "game.name"),
    col("playtester", "playtester.displayName"),
    col("duration", "playtest.durationMinutes", "minutes"),
    col("video", "submission.videoFileSize", "bytes"),
    col("transcript", "transcription.status"),
    col("submitted", "submission.createdAt", "ago"),
    col("note", (item) => (item.awaitingAdminApproval ? "waiting for admin approval" : reportText(item))),
  ],
  empty: nothingWaiting,
};

function reportText({ blockedReport }: Record<string, unknown>) {
  const report = blockedReport as { reasonCode: string } | null;
  return report ? `blocked: ${report.reasonCode}` : "";
}

const reason = (report: unknown) => (report as { reasonCode?: string } | null | undefined)?.reasonCode?.replaceAll("_", " ");

export const problemsView: View = {
  columns: [
    col("slot", "slot.id", "id"),
    col("game", "game.name"),
    col("playtester", "playtester.displayName"),
    col("problem", (item) => reason(item.blockedReport)),
    col("notes", "blockedReport.notes"),
    col("reported", "blockedReport.reportedAt", "ago"),
    col("answer by", "blockedReport.answerBy", "ago"),
  ],
  empty: "No reported problems are waiting for an answer.",
};

const numbered = (lines: unknown) => (Array.isArray(lines) ? lines.map((line) => `• ${line}`).join("\n") : undefined);
const transcription = (slot: Record<string, unknown>) => slot.transcription as { status?: string; keyTakeaways?: unknown } | null;

/** The length of a submission's video. Undefined where the server does not report it. */
export function videoLength({ submission }: Record<string, unknown>) {
  const { videoDurationSeconds: seconds } = (submission ?? {}) as { videoDurationSeconds?: number | null };
  return seconds === undefined ? undefined : lengthText(seconds);
}

/** What a submission's video is made of. Undefined where the server does not report it. */
const videoFormat = ({ submission }: Record<string, unknown>) =>
  videoFormatText((submission as { videoFormat?: VideoFormat | null } | null)?.videoFormat);

/** The build that was played, by its version or its time. */
const buildText = ({ build }: Record<string, unknown>) => {
  const { version, createdAt } = (build ?? {}) as { version?: string | null; createdAt?: string };
  return version ?? createdAt?.slice(0, 16).replace("T", " ");
};

export const slotView: View = {
  columns: [
    detail("slot", "id", "id"),
    detail("status", "status", "status"),
    detail("game", "game.name"),
    detail("playtest", "requestId", "id"),
    detail("playtester", "playtester.displayName"),
    detail("duration", "playtest.durationMinutes", "minutes"),
    detail("deadline", whileStatus("reserved", "deadlineAt"), "ago"),
    detail("problem", (slot) => reason(slot.blockedReport)),
    detail("problem notes", "blockedReport.notes"),
    detail("reported", "blockedReport.reportedAt", "ago"),
    detail("answer by", "blockedReport.answerBy", "ago"),
    detail("problem ended", "blockedReport.outcome"),
    detail("answer", "blockedReport.message"),
    detail("submitted", "submission.createdAt", "ago"),
    detail("video", "submission.videoFileSize", "bytes"),
    detail("video length", videoLength),
    detail("video format", videoFormat),
    detail("device", "submission.device"),
    detail("build", buildText),
    detail("notes", "submission.notes"),
    detail("rating", "rating.score"),
    detail("comment", "rating.comment"),
    detail("rejection reason", "rejection.reason"),
    detail("published at", "publishedUrl"),
    detail("transcript", "transcription.status", "status"),
    detail("takeaways", (slot) => numbered(transcription(slot)?.keyTakeaways)),
  ],
};

const bookedLength = ({ length, playtest }: Record<string, unknown>) =>
  typeof length === "number"
    ? `${positionText(Math.round(length) * 1000)} of ${(playtest as { durationMinutes: number }).durationMinutes}:00 booked`
    : undefined;

/** A slot with the real length of its video and what accepting it pays. */
export const submissionView: View = {
  columns: slotView.columns.flatMap((column) =>
    column.header === "video length" ? [detail("video length", bookedLength), detail("payout", "payoutCents", "usd")] : [column],
  ),
};

export const cancelledView: View = {
  columns: [
    detail("result", "message"),
    detail("credit refunded", "refundedCents", "usd"),
    detail("minutes refunded", "refundedMinutes"),
  ],
};

export const statsView: View = {
  columns: [col("games", "totalGames"), col("active playtests", "activePlaytests"), col("waiting reviews", "pendingReviews")],
};

export interface Payout {
  payoutCents: number;
  /** The playtester of a public video is paid once it is published. */
  publishing: boolean;
}

/** What became of a submission and its payout. */
export function acceptedText(accepted: string, who: string, { payoutCents, publishing }: Payout): string {
  if (payoutCents === 0) return `${accepted}.`;
  const paid = usd(payoutCents);
  return publishing
    ? `${accepted}. ${who} will be paid ${paid} when the video is published.`
    : `${accepted} and paid ${who} ${paid}.`;
}

export const acceptedView: View = {
  columns: [col("id", "id", "id"), col("playtester", "playtester"), col("payout", "payoutCents", "usd")],
};
