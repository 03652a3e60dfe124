import { col, columnsOf, detail, type ItemOf, prose, type Row, viewOf, whileStatus } from "../../cli/define.ts";
import { lengthText } from "../../contract/text/length.ts";
import { positionText } from "../../contract/text/position.ts";
import { videoFormatText } from "../../contract/text/video-format.ts";
import { usd } from "../../io/text.ts";
import type { Facts } from "./recording.ts";
import { publicationText } from "./sharing/view.ts";

export const nothingWaiting = "No submissions are waiting for review.";

type Listed = ItemOf<"listSubmissions">;

const queueColumns = columnsOf<Listed>([
  "slot:slot.id",
  "game:game.name",
  "playtester:playtester.displayName",
  "duration:playtest.durationMinutes",
  "video:submission.videoFileSize",
  col("transcript:transcription.status", "text"),
  "submitted:submission.createdAt",
  col("note", (item) => (item.awaitingAdminApproval ? "waiting for admin approval" : reportText(item))),
]);

export const queueView = viewOf<Listed>([...queueColumns], { empty: nothingWaiting });

/** A submission with what looks wrong in its video. */
export type Faulty = Listed & { facts: Facts };

export const faultyView = viewOf<Faulty>(
  [...queueColumns, prose("looks wrong", ({ facts }: Faulty) => facts.map(({ text }) => text).join(" "))],
  { empty: "No recording among these looks wrong, as far as they are measured." },
);

const reportText = ({ blockedReport }: ItemOf<"listSubmissions">) =>
  blockedReport ? `blocked: ${blockedReport.reasonCode}` : "";

const reason = (report: { reasonCode: string } | null | undefined) => report?.reasonCode.replaceAll("_", " ");

export const problemsView = viewOf<ItemOf<"listSubmissions">>(
  [
    "slot:slot.id",
    "game:game.name",
    "playtester:playtester.displayName",
    col("problem", (item) => reason(item.blockedReport)),
    "notes:blockedReport.notes",
    "reported:blockedReport.reportedAt",
    col("answer by:blockedReport.answerBy", "ago"),
  ],
  { empty: "No reported problems are waiting for an answer." },
);

/** A slot, with the build and the details of its video where the reply has them. */
type ShownSlot = ItemOf<"unblockSlot"> & Partial<ItemOf<"getSlot">> & { facts?: Facts };

/** What looks wrong in the recording. Undefined where it was not measured. */
const recordingText = ({ facts }: ShownSlot) =>
  facts && (facts.length === 0 ? "nothing looks wrong" : facts.map(({ text }) => text).join("\n"));

const bulleted = (lines: readonly string[] | null | undefined) => lines?.map((line) => `• ${line}`).join("\n");

/** The length of a submission's video. Undefined where the server does not report it. */
export function videoLength({ submission }: Pick<ShownSlot, "submission">) {
  const seconds = submission?.videoDurationSeconds;
  return seconds === undefined ? undefined : lengthText(seconds);
}

/** What a submission's video is made of. Undefined where the server does not report it. */
const videoFormat = ({ submission }: ShownSlot) => videoFormatText(submission?.videoFormat);

/** The build that was played, by its version or its time. */
const buildText = ({ build }: ShownSlot) => build?.version ?? build?.createdAt.slice(0, 16).replace("T", " ");

export const slotView = viewOf<ShownSlot>([
  detail("slot:id"),
  detail("status"),
  detail("game:game.name"),
  detail("playtest:requestId"),
  detail("playtester:playtester.displayName"),
  detail("duration:playtest.durationMinutes"),
  detail("deadline", whileStatus("reserved", "deadlineAt"), "ago"),
  detail("problem", (slot) => reason(slot.blockedReport)),
  detail("problem notes:blockedReport.notes"),
  detail("reported:blockedReport.reportedAt"),
  detail("answer by:blockedReport.answerBy", "ago"),
  detail("problem ended:blockedReport.outcome"),
  detail("answer:blockedReport.message"),
  detail("submitted:submission.createdAt"),
  detail("video:submission.videoFileSize"),
  detail("video length", videoLength),
  detail("video format", videoFormat),
  detail("recording", recordingText),
  detail("device:submission.device"),
  detail("build", buildText),
  detail("notes:submission.notes"),
  detail("rating:rating.score"),
  detail("comment:rating.comment"),
  detail("rejection reason:rejection.reason"),
  detail("published at:publishedUrl"),
  detail("playtester consented to:publicationConsent.text"),
  detail("consent withdrawn:publicationConsent.withdrawnAt"),
  detail("publication", ({ publication }) => publication && publicationText(publication)),
  detail("not published because:publication.reason"),
  detail("transcript:transcription.status"),
  detail("takeaways", (slot) => bulleted(slot.transcription?.keyTakeaways)),
]);

/** A submission as `review` shows it, with the length of its video in seconds as the file says it. */
type Submission = ShownSlot & { length: number | null | undefined; payoutCents: number };

const bookedLength = ({ length, playtest }: Submission) =>
  typeof length === "number" ? `${positionText(Math.round(length) * 1000)} of ${playtest.durationMinutes}:00 booked` : undefined;

/** A slot with the real length of its video and what accepting it pays. */
export const submissionView = viewOf<Submission>(
  slotView.columns.flatMap((column) =>
    column.header === "video length"
      ? columnsOf<Submission>([detail("video length", bookedLength), detail("payout:payoutCents")])
      : [column],
  ),
);

export const cancelledView = viewOf<ItemOf<"deleteSlot">>([
  detail("result:message"),
  detail("credit refunded:refundedCents"),
  detail("minutes refunded:refundedMinutes"),
]);

export const statsView = viewOf<ItemOf<"getDashboardStats">>([
  "games:totalGames",
  "active playtests:activePlaytests",
  "waiting reviews:pendingReviews",
]);

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

export const acceptedView = viewOf<Row<"id" | "playtester" | "payoutCents">>(["id", "playtester", "payout:payoutCents"]);
