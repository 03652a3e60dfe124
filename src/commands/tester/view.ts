import { col, detail, type ItemOf, optionalCol, shorter, viewOf, whileStatus, withColumns } from "../../cli/define.ts";
import { type Audience, audienceText } from "../../contract/accounts/audience-text.ts";
import type { Data } from "../../contract/index.ts";
import type { LossReason } from "../../contract/playtester.ts";
import { lengthText } from "../../contract/text/length.ts";
import { type VideoFormat, videoFormatText } from "../../contract/text/video-format.ts";
import { plural, usd } from "../../io/text.ts";
import { utcText } from "../shared/fixed-time.ts";

type Item = Record<string, unknown>;

/** The game, and the group that its playtest is for. */
const nameWithGroup = ({ game, panel }: Item) => `${(game as { name: string }).name}${panel ? ` (${panel})` : ""}`;

export const offerView = viewOf<ItemOf<"listOffers">>(
  [
    "id",
    shorter(col("game:game.name"), nameWithGroup),
    "payout:payoutCents",
    "video:visibility",
    "duration:durationMinutes",
    optionalCol("players:playerCount"),
    "selection:selectionMode",
    "open slots:slotsOpen",
    detail("group:panel"),
    detail("only for", (offer: Item) => audienceText(offer as Audience)),
    "devices:game.devices",
    detail("languages:game.languages"),
    optionalCol("offered:createdAt"),
    optionalCol("played at", ({ scheduledAt }: Item) => utcText(scheduledAt as string | null)),
    detail("qualifications"),
    detail("you consent to:publicationConsent.text"),
    detail("applications close:applicationsExpireAt"),
    detail("friends to name:team.friendsNeeded"),
    detail("friends who can play", ({ team }: Item) =>
      (team as { friends: { handle: string }[] } | null)?.friends.map(({ handle }) => handle).join(", "),
    ),
  ],
  { empty: "No playtests are available to you at the moment." },
);

export const shownOfferView = withColumns<Data<"getOffer">["playtest"]>(offerView, [
  detail("description:game.description"),
  "hours to submit:deadlineHours",
  "slots you can hold:maxHeldSlots",
  optionalCol("your slot:slotId"),
  optionalCol("your application:applicationId"),
  optionalCol("cannot take part:whyNot"),
]);

interface Member {
  handle: string | null;
  displayName: string;
  isYou: boolean;
  isClaimant: boolean;
  status: string;
  shareCents: number;
}

const memberText = ({ handle, displayName, isYou, isClaimant, status, shareCents }: Member) =>
  `${displayName}${handle === null ? "" : ` (${handle})`}: ${status}${isClaimant ? ", submits the video" : ""}, ${usd(shareCents)}${isYou ? " (you)" : ""}`;

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

/** Undefined for the first attempt, and on servers that count none. */
function laterAttempt(attempt: unknown) {
  const { number } = (attempt ?? { number: 1 }) as { number: number };
  return number > 1 ? String(number) : undefined;
}

const lossTexts: Record<LossReason, string> = {
  deadline: "the deadline passed before a video was submitted",
  closed: "it closed before all of the team had confirmed",
  released: "it was released by the playtester who claimed it",
  moved: "another time was declined, or not answered",
  cancelled: "its owner cancelled it",
  problem: "a problem that was reported ended it",
};

const earnedText = (lost: { earnedCents: number } | null | undefined) =>
  lost && lost.earnedCents > 0 ? usd(lost.earnedCents) : undefined;

export const heldSlotView = viewOf<ItemOf<"listHeldSlots">>(
  [
    "id",
    "game:game.name",
    "status",
    col("deadline", whileStatus("reserved", "deadlineAt"), "ago"),
    "payout:playtest.payoutCents",
    "duration:playtest.durationMinutes",
    "players:playtest.playerCount",
    optionalCol("played at", ({ scheduledAt }: Item) => utcText(scheduledAt as string | null)),
    optionalCol("other time", ({ proposal }: Item) => utcText((proposal as Item | null)?.scheduledAt as string | undefined)),
    detail("answer the other time by", ({ proposal }: Item) =>
      utcText((proposal as Item | null)?.answerBy as string | undefined),
    ),
    detail("team", ({ team }: Item) => (team as { members: Member[] } | null)?.members.map(memberText)),
    detail("your share:team.yourShareCents"),
    detail("confirm by:team.confirmBy", "ago"),
    detail("you consent to:team.publicationConsent.text"),
    detail("consent withdrawn:consentWithdrawnAt"),
    detail("build:buildUrl"),
    detail("keys"),
    detail("instructions"),
    detail("notes:notesForTesters"),
    detail("shortest video", ({ playtest, status }: Item) => (status === "reserved" ? shortest(playtest) : undefined)),
    detail("uploaded video", uploaded),
    detail("video:submission.videoFileSize"),
    detail("video length", ({ submission }: Item) =>
      submission ? lengthText((submission as { videoDurationSeconds: number | null }).videoDurationSeconds) : undefined,
    ),
    detail("video format", ({ submission, uploadedVideo: video }: Item) =>
      videoFormatText(((submission as Item | null)?.videoFormat ?? (video as Item | null)?.format) as VideoFormat),
    ),
    detail("submitted:submission.createdAt"),
    detail("your notes:submission.notes"),
    detail("rating:rating.score"),
    detail("comment:rating.comment"),
    detail("rejection reason:rejection.reason"),
    detail("lost because", ({ lost }: Item) => lost && lossTexts[(lost as { why: LossReason }).why]),
    detail("earned all the same", ({ lost }: Item) => earnedText(lost as { earnedCents: number } | null | undefined)),
    detail("next attempt:attempt.next.slotId"),
    detail("attempt", ({ attempt }: Item) => laterAttempt(attempt)),
    detail("last rejected because:attempt.before.reason"),
    detail("published at:publishedUrl"),
    detail("reported", (slot: Item) => (slot.blockedReport as Item | null)?.reasonCode),
    detail("answer by:blockedReport.answerBy", "ago"),
    detail("report ended:blockedReport.outcome"),
    detail("answer:blockedReport.message"),
  ],
  { empty: "No active slots. Find playtests with `playtest tester browse`." },
);

/** The status, with what the playtester must do before the owner can decide. */
const statusWithTask = ({ status, mustAccept }: Item) => (mustAccept ? `${status}, accept the agreement` : status);

export const applicationView = viewOf<ItemOf<"listOwnApplications">>(
  [
    "id",
    "game:gameName",
    shorter(col("status"), statusWithTask),
    "applied:createdAt",
    "reviewed:reviewedAt",
    "slot:assignedSlotId",
  ],
  { empty: "No applications." },
);

export const earningView = viewOf<ItemOf<"getEarnings">>(
  [
    "id",
    "kind",
    "amount:amountCents",
    "game:gameName",
    optionalCol("duration:durationMinutes"),
    optionalCol("slot:slotId"),
    "created:createdAt",
    col("available from:availableFrom", "ago"),
    optionalCol("payout:payoutStatus"),
    detail("paid to:paidTo"),
    detail("failure"),
    optionalCol("on hold", ({ disputed }: Item) => (disputed === true ? "payment disputed" : undefined)),
  ],
  { empty: "No earnings yet." },
);

type StatementPayout = Data<"getStatement">["statement"]["payouts"][number];

interface StatementGame {
  name: string;
  slots: number;
  amountCents: number;
}

export const statementView = viewOf<ItemOf<"getStatement">>([
  "period",
  "balance at the beginning:beginCents",
  "earned:earnedCents",
  "paid out:paidCents",
  "failed payouts returned:returnedCents",
  "balance at the end:endCents",
  "held at the end:heldCents",
  col("games", ({ games }: Item) =>
    (games as StatementGame[]).map(
      ({ name, slots, amountCents }) => `${name}: ${plural(slots, "playtest")}, ${usd(amountCents)}`,
    ),
  ),
  col("payouts", ({ payouts = [] }: Item) =>
    (payouts as StatementPayout[]).map(
      ({ kind, at, reference, payoutId, amountCents }) =>
        `${at.slice(0, 10)} ${reference ?? payoutId}${kind === "returned" ? " failed, returned" : ""}, ${usd(amountCents)}`,
    ),
  ),
]);

export const friendView = viewOf<ItemOf<"listFriends">>(
  ["handle", "status", "name:displayName", "available", "since:createdAt", optionalCol("id")],
  { empty: "No friends yet. Add one with `playtest tester friends add HANDLE`." },
);

export const playtesterProfileView = viewOf<ItemOf<"getPlaytesterProfile">>(["handle", "link", "available"]);

export const payoutDetailsView = viewOf<NonNullable<Data<"getPayoutDetails">["details"]>>([
  "method",
  "paid to:masked",
  "holder",
  "address",
  "country",
  "tax number:taxNumber",
  "changed:changedAt",
  col("usable from:usableFrom", "ago"),
]);
