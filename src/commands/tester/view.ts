import { col, detail, optionalCol, type View, whileStatus } from "../../cli/define.ts";
import { lengthText } from "../../contract/text/length.ts";
import { type VideoFormat, videoFormatText } from "../../contract/text/video-format.ts";
import { plural, usd } from "../../io/text.ts";

type Item = Record<string, unknown>;

/** The game, and the group that its playtest is for. */
const nameWithGroup = ({ game, panel }: Item) => `${(game as { name: string }).name}${panel ? ` (${panel})` : ""}`;

export const offerView: View = {
  columns: [
    col("id", "id", "id"),
    { ...col("game", "game.name"), inTable: nameWithGroup },
    col("payout", "payoutCents", "usd"),
    col("video", "visibility"),
    col("duration", "durationMinutes", "minutes"),
    optionalCol("players", "playerCount"),
    col("selection", "selectionMode"),
    col("open slots", "slotsOpen"),
    detail("group", "panel"),
    col("devices", "game.devices"),
    detail("languages", "game.languages"),
    optionalCol("offered", "createdAt", "ago"),
    detail("qualifications", "qualifications"),
    detail("applications close", "applicationsExpireAt", "ago"),
  ],
  empty: "No playtests are available to you at the moment.",
};

/** The shortest video that can be submitted. Undefined where any can. */
function shortest(playtest: unknown) {
  const { minVideoSeconds: seconds } = playtest as { minVideoSeconds: number };
  return seconds > 0 ? lengthText(seconds) : undefined;
}

/** The video that can be submitted, with its length. */
function uploaded({ uploadedVideo }: Item) {
  const video = uploadedVideo as { filename: string; durationSeconds: number | null } | null | undefined;
  return video ? `${video.filename} (length: ${lengthText(video.durationSeconds)})` : undefined;
}

export const heldSlotView: View = {
  columns: [
    col("id", "id", "id"),
    col("game", "game.name"),
    col("status", "status", "status"),
    col("deadline", whileStatus("reserved", "deadlineAt"), "ago"),
    col("payout", "playtest.payoutCents", "usd"),
    col("duration", "playtest.durationMinutes", "minutes"),
    col("players", "playtest.playerCount"),
    detail("build", "buildUrl"),
    detail("keys", "keys"),
    detail("instructions", "instructions"),
    detail("notes", "notesForTesters"),
    detail("shortest video", ({ playtest, status }: Item) => (status === "reserved" ? shortest(playtest) : undefined)),
    detail("uploaded video", uploaded),
    detail("video", "submission.videoFileSize", "bytes"),
    detail("video length", ({ submission }: Item) =>
      submission ? lengthText((submission as { videoDurationSeconds: number | null }).videoDurationSeconds) : undefined,
    ),
    detail("video format", ({ submission, uploadedVideo: video }: Item) =>
      videoFormatText(((submission as Item | null)?.videoFormat ?? (video as Item | null)?.format) as VideoFormat),
    ),
    detail("submitted", "submission.createdAt", "ago"),
    detail("your notes", "submission.notes"),
    detail("rating", "rating.score"),
    detail("comment", "rating.comment"),
    detail("rejection reason", "rejection.reason"),
    detail("published at", "publishedUrl"),
    detail("reported", (slot: Item) => (slot.blockedReport as Item | null)?.reasonCode),
    detail("answer by", "blockedReport.answerBy", "ago"),
    detail("report ended", "blockedReport.outcome"),
    detail("answer", "blockedReport.message"),
  ],
  empty: "No active slots. Find playtests with `playtest tester browse`.",
};

/** The status, with what the playtester must do before the owner can decide. */
const statusWithTask = ({ status, mustAccept }: Item) => (mustAccept ? `${status}, accept the agreement` : status);

export const applicationView: View = {
  columns: [
    col("id", "id", "id"),
    col("game", "gameName"),
    { ...col("status", "status", "status"), inTable: statusWithTask },
    col("applied", "createdAt", "ago"),
    col("reviewed", "reviewedAt", "ago"),
    col("slot", "assignedSlotId", "id"),
  ],
  empty: "No applications.",
};

export const earningView: View = {
  columns: [
    col("id", "id", "id"),
    col("kind", "kind"),
    col("amount", "amountCents", "usd"),
    col("game", "gameName"),
    optionalCol("duration", "durationMinutes", "minutes"),
    optionalCol("slot", "slotId", "id"),
    col("created", "createdAt", "ago"),
    col("available from", "availableFrom", "ago"),
    optionalCol("payout", "payoutStatus", "status"),
    detail("paid to", "paidTo"),
    detail("failure", "failure"),
    optionalCol("on hold", ({ disputed }: Item) => (disputed === true ? "payment disputed" : undefined)),
  ],
  empty: "No earnings yet.",
};

interface StatementGame {
  name: string;
  slots: number;
  amountCents: number;
}

export const statementView: View = {
  columns: [
    col("period", "period"),
    col("balance at the beginning", "beginCents", "usd"),
    col("earned", "earnedCents", "usd"),
    col("payouts made", "paidCents", "usd"),
    col("failed payouts returned", "returnedCents", "usd"),
    col("balance at the end", "endCents", "usd"),
    col("held at the end", "heldCents", "usd"),
    col("games", ({ games }: Item) =>
      (games as StatementGame[]).map(
        ({ name, slots, amountCents }) => `${name}: ${plural(slots, "playtest")}, ${usd(amountCents)}`,
      ),
    ),
  ],
};

export const payoutDetailsView: View = {
  columns: [
    col("method", "method"),
    col("paid to", "masked"),
    col("changed", "changedAt", "ago"),
    col("usable from", "usableFrom", "ago"),
  ],
};
