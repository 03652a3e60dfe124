import type { ReportOutcome } from "../../../src/contract/slots.ts";
import { plural } from "../../../src/contract/text/plural.ts";
import { zonedText } from "../../../src/contract/time/zones.ts";
import type { Config } from "../../config/schema.ts";
import type { Listing } from "../../events/event-mails.ts";
import type { PaidWhen } from "../../events/notice-context.ts";
import { usd } from "../../lib/money.ts";
import { portalLinks, taskLink } from "../../mail/links.ts";
import { type Letter, nameInMail } from "../../mail/texts.ts";

/** The emails to owners and playtesters about applications and slots. */
interface About {
  config: Pick<Config, "baseUrl" | "payments">;
  gameName: string;
}

interface ZonedAbout extends About {
  /** The reader's time zone; null for UTC. */
  zone: string | null;
}

/** Words about money, for servers with payments. */
const paid = ({ config }: Pick<About, "config">, words: string) => (config.payments.enabled ? words : "");

const yourSlot = ({ config }: About, slotId: string) => ({ label: "View slot", url: portalLinks(config).slot(slotId) });
const otherPlaytests = ({ config }: About) => ({ label: "See other playtests", url: portalLinks(config).offers });
const quoted = (who: string, text: string | null | undefined) => (text ? [who, text] : []);

export const submittedLetter = (
  about: About & { slotId: string; playtesterName: string; notes: string; isPaid: boolean },
): Letter => {
  const { config, gameName, slotId, playtesterName, notes, isPaid } = about;
  const [who, game] = [nameInMail(playtesterName), nameInMail(gameName)];
  return {
    subject: `${who} submitted a video of ${game}`,
    paragraphs: [
      `${who} played ${game} and submitted a video. Watch it, then accept or reject it. There is no deadline${isPaid ? `, but ${who} is paid only after you accept it` : ""}.`,
      ...quoted("The playtester wrote:", notes),
    ],
    action: { label: "Review the video", url: taskLink(config, "review", slotId) },
  };
};

/** When the last slot of a playtest that still waited for a video was submitted. */
export const allInLetter = (about: About & { playtestId: string; videos: number; toReview: number }): Letter => {
  const { config, gameName, playtestId, videos, toReview } = about;
  const game = nameInMail(gameName);
  return {
    subject: `All videos of ${game} are in`,
    preview: `${plural(toReview, "video")} to review.`,
    paragraphs: [
      `No more videos of a playtest of ${game} are awaited: it has ${plural(videos, "video")}. ${toReview === 1 ? "1 of them waits" : `${toReview} of them wait`} for your review.`,
    ],
    action: { label: "See the playtest", url: taskLink(config, "playtest", playtestId) },
  };
};

/** `lacksDetails`: the playtester earns something and has not said where it is to be paid. */
export const acceptedLetter = (
  about: About & {
    slotId: string;
    payoutCents: number;
    paidWhen: PaidWhen;
    score: number | null;
    comment: string | null;
    lacksDetails: boolean;
  },
): Letter => {
  const { gameName, slotId, payoutCents, paidWhen, score, comment, lacksDetails } = about;
  const game = nameInMail(gameName);
  const earned: Record<PaidWhen, string> = {
    published: `You earn ${usd(payoutCents)} when the video is published.`,
    approved: `You earn ${usd(payoutCents)} when an administrator has approved the video. It is not published.`,
    now: `You earned ${usd(payoutCents)}.`,
  };
  const unpaid = paid(about, "This playtest is not paid.");
  const publication = paidWhen === "published" ? ["It will be published."] : [];
  const pay = payoutCents > 0 ? earned[paidWhen] : [...publication, ...(unpaid ? [unpaid] : [])].join(" ");
  return {
    subject: `Your playtest of ${game} was accepted`,
    paragraphs: [
      `Your playtest of ${game} was accepted. ${pay && `${pay} `}Thank you.`,
      ...(score === null ? [] : [`The owner rated it ${score} of 5.`]),
      ...quoted("The owner wrote:", comment),
      ...(lacksDetails
        ? ["Nothing can be paid out to you yet, because you have no payout details. Enter them, once for all playtests."]
        : []),
    ],
    action: lacksDetails
      ? { label: "Enter your payout details", url: portalLinks(about.config).payoutDetails }
      : yourSlot(about, slotId),
  };
};

/** `retry` is the slot for another attempt; absent after a final rejection. */
export const rejectedLetter = (
  about: ZonedAbout & { slotId: string; reason: string; retry?: { slotId: string; deadlineAt: number } | undefined },
): Letter => {
  const { gameName, slotId, reason, retry } = about;
  const game = nameInMail(gameName);
  return {
    preview: retry ? `Submit another video before ${zonedText(retry.deadlineAt, about.zone)}.` : reason,
    subject: retry ? `Please submit another video of ${game}` : `Your playtest of ${game} was rejected`,
    paragraphs: [
      `Your playtest of ${game} was rejected.`,
      ...quoted("The reason:", reason),
      retry
        ? `You can submit another video before ${zonedText(retry.deadlineAt, about.zone)}. A slot is reserved for you until then.`
        : `The rejection is final${paid(about, ", and the slot is not paid")}. You can claim slots of other playtests.`,
    ],
    action: yourSlot(about, retry?.slotId ?? slotId),
    usefulUntil: retry?.deadlineAt,
  };
};

/** `reopens`: whether another playtester can have the slot after the deadline. */
export const dueLetter = (about: ZonedAbout & { slotId: string; deadlineAt: number; reopens: boolean }): Letter => {
  const game = nameInMail(about.gameName);
  const then = about.reopens ? " and becomes available to other playtesters" : "";
  return {
    preview: `Submit your video before ${zonedText(about.deadlineAt, about.zone)}.`,
    subject: `Your playtest of ${game} is due at ${zonedText(about.deadlineAt, about.zone)}`,
    paragraphs: [
      `You have a slot to playtest ${game}. Submit your video before ${zonedText(about.deadlineAt, about.zone)}. After that the slot expires${then}.`,
      "If you cannot finish, release the slot. If the build does not work, report it: your deadline is then paused.",
    ],
    action: yourSlot(about, about.slotId),
    usefulUntil: about.deadlineAt,
    onlyAsks: true,
  };
};

/** For the playtester whose deadline passed without a video. */
export const expiredLetter = (about: ZonedAbout & { deadlineAt: number }): Letter => {
  const game = nameInMail(about.gameName);
  return {
    subject: `You lost your slot of ${game}`,
    paragraphs: [
      `The deadline of your slot to playtest ${game} was ${zonedText(about.deadlineAt, about.zone)}. No video was submitted by then, so the slot expired.${paid(about, " You earned nothing for it.")}`,
      "You can claim slots of other playtests.",
    ],
    action: otherPlaytests(about),
  };
};

/** `until` (ms) is when the review window ends, in which every application must be decided. */
export const appliedLetter = (
  about: ZonedAbout & { playtestId: string; playtesterName: string; response: string | null; until: number | null },
): Letter => {
  const { config, gameName, playtestId, playtesterName, response, until } = about;
  const [who, game] = [nameInMail(playtesterName), nameInMail(gameName)];
  return {
    subject: `${who} applied to playtest ${game}`,
    paragraphs: [
      `${who} applied to playtest ${game}.${until === null ? "" : ` Approve or reject the application before ${zonedText(until, about.zone)}: after that it is rejected automatically${paid(about, ", and slots without a playtester are refunded")}.`}`,
      ...quoted("The playtester wrote:", response),
    ],
    action: { label: "See the applications", url: taskLink(config, "applications", playtestId) },
    usefulUntil: until ?? undefined,
  };
};

/** `scheduledAt` (ms) is the fixed time of the playtest, if it has one, and `calendar` the file with it. */
export const approvedLetter = (
  about: ZonedAbout & { slotId: string; deadlineAt: number; scheduledAt: number | null; calendar: string | undefined },
): Letter => {
  const game = nameInMail(about.gameName);
  const time = about.scheduledAt === null ? "" : ` You play at ${zonedText(about.scheduledAt, about.zone)}.`;
  return {
    preview: `Submit your video before ${zonedText(about.deadlineAt, about.zone)}.`,
    subject: `You were chosen to playtest ${game}`,
    paragraphs: [
      `Your application to playtest ${game} was approved, and a slot is reserved for you.${time}`,
      `Submit your video before ${zonedText(about.deadlineAt, about.zone)}. If you cannot finish, release the slot.`,
    ],
    action: yourSlot(about, about.slotId),
    usefulUntil: about.scheduledAt ?? about.deadlineAt,
    calendar: about.calendar,
  };
};

/** `customMessage` is the owner's own text, sent unchanged. */
export const declinedLetter = (about: About & { customMessage?: string | undefined }): Letter => ({
  subject: `Your application to playtest ${nameInMail(about.gameName)} was not accepted`,
  paragraphs: [
    `Your application to playtest ${nameInMail(about.gameName)} was not accepted.`,
    ...quoted("The owner wrote:", about.customMessage),
  ],
  action: otherPlaytests(about),
});

export const closedLetter = (about: About): Letter => ({
  subject: `Your application to playtest ${nameInMail(about.gameName)} was closed`,
  paragraphs: [
    `The playtest of ${nameInMail(about.gameName)} is closed, so your application was rejected automatically. You can apply to other playtests.`,
  ],
  action: otherPlaytests(about),
});

/**
 * For the owner and for admins, who can answer too. `reason` is a sentence; `notes` are the playtester's own words. `isPaid`: the slot has
 * a price.
 */
export const problemLetter = (
  about: ZonedAbout & {
    isOwner: boolean;
    playtesterName: string;
    reason: string;
    notes: string | null;
    /** When the slot is cancelled without an answer (ms). */
    until: number;
    slotId: string;
    asksForKey: boolean;
    isPaid: boolean;
  },
): Letter => ({
  preview: `${about.reason} Answer by ${zonedText(about.until, about.zone)}.`,
  subject: `${nameInMail(about.playtesterName)} reported a problem with ${nameInMail(about.gameName)}`,
  paragraphs: [
    `${nameInMail(about.playtesterName)} cannot continue the playtest of ${nameInMail(about.gameName)}. ${about.reason}`,
    ...quoted("The playtester wrote:", about.notes),
    `The deadline of the slot is paused. Answer by ${zonedText(about.until, about.zone)}: after that the slot is cancelled${about.isPaid ? `, ${about.isOwner ? "you are" : "the owner is"} refunded, and the playtester is not paid` : ""}.`,
    `When the problem is fixed, unblock the slot${about.asksForKey ? " and give it a new game key" : ""}, which starts a new deadline.${about.isOwner ? " If you cannot fix it, cancel the slot." : ""}`,
  ],
  action: {
    label: "Answer the problem",
    url: taskLink(about.config, about.isOwner ? "problem" : "report", about.slotId),
  },
  usefulUntil: about.until,
});

/** For the owner, when nobody answered a problem in time. */
export const unansweredLetter = (
  about: About & { playtestId: string; playtesterName: string; refunded?: string | undefined },
): Letter => ({
  subject: `A slot of ${nameInMail(about.gameName)} was cancelled`,
  paragraphs: [
    `The problem that ${nameInMail(about.playtesterName)} reported with ${nameInMail(about.gameName)} was not answered in time, so the slot was cancelled.`,
    ...(about.config.payments.enabled || about.refunded
      ? [`${about.refunded ? `You got ${about.refunded} back.` : "There was nothing to refund."} The playtester is not paid.`]
      : []),
  ],
  action: { label: "See the playtest", url: taskLink(about.config, "playtest", about.playtestId) },
});

/** For the playtester who reported a problem. */
export function resolvedLetter(
  about: ZonedAbout & { slotId: string; outcome: ReportOutcome; message?: string | null; deadlineAt?: number; newKeys?: number },
): Letter {
  const game = nameInMail(about.gameName);
  const action = yourSlot(about, about.slotId);
  if (about.outcome === "unblocked")
    return {
      preview: `Submit your video before ${zonedText(about.deadlineAt!, about.zone)}.`,
      subject: `Continue your playtest of ${game}`,
      paragraphs: [
        `The problem you reported with ${game} was answered, and the slot is yours again.`,
        ...quoted("The answer:", about.message),
        ...(about.newKeys ? [`You have ${about.newKeys === 1 ? "a new game key" : "new game keys"}: see the slot.`] : []),
        `Submit your video before ${zonedText(about.deadlineAt!, about.zone)}.`,
      ],
      action,
      usefulUntil: about.deadlineAt,
    };
  return {
    subject: `Your slot of ${game} was cancelled`,
    paragraphs: [
      about.outcome === "expired"
        ? `The problem you reported with ${game} was not answered in time, so your slot was cancelled.`
        : `The owner of ${game} cancelled your slot because of the problem you reported.`,
      `${paid(about, "The slot is not paid. ")}You can claim slots of other playtests.`,
    ],
    action,
  };
}

/** For the owner of a playtest whose open slots have too few game keys left. */
export const keysLowLetter = (about: About & { playtestId: string; unused: number; needed: number }): Letter => ({
  subject: `Game keys are running out for your playtest of ${nameInMail(about.gameName)}`,
  paragraphs: [
    `A game key of your playtest of ${nameInMail(about.gameName)} was shown to a playtester who cannot use it any more, so nobody else gets it.`,
    `The open slots need ${plural(about.needed, "key")}, and ${about.unused} ${about.unused === 1 ? "is" : "are"} left. Nobody can claim a slot without its keys.`,
    "Add keys on the page of the playtest.",
  ],
  action: { label: "See the playtest", url: taskLink(about.config, "playtest", about.playtestId) },
});

export const agreementChangedLetter = (about: About & { playtestId: string }): Letter => {
  const game = nameInMail(about.gameName);
  return {
    subject: `Please accept the changed agreement of ${game}`,
    paragraphs: [
      `You applied to playtest ${game}. Its agreement was changed since.`,
      "Read the new version and accept it. Until then the owner cannot approve your application.",
    ],
    action: { label: "Read the agreement", url: portalLinks(about.config).agreement(about.playtestId) },
  };
};

interface NewOffer {
  playtestId: string;
  gameName: string;
  payoutCents: number;
  durationMinutes: number;
  playerCount: number;
  /** The owner chooses who plays. */
  isChosen: boolean;
  /** The claim names friends. */
  forTeam: boolean;
  /** To submit the video. */
  hours: number;
  /** When everybody plays (ms); null where playtesters choose. */
  scheduledAt: number | null;
}

interface NewOffers {
  config: About["config"];
  zone: string | null;
  /** Those that are described, newest first. */
  offers: readonly NewOffer[];
  /** How many there are. */
  total: number;
  /** How many slots the reader holds, if they can hold no more; null otherwise. */
  heldAll: number | null;
}

/** Like `$10.00 for 60 minutes`. */
function payAndLength({ payments }: About["config"], { payoutCents, durationMinutes, playerCount }: NewOffer): string {
  const length = `${durationMinutes} minutes${playerCount > 1 ? ` with ${playerCount} players` : ""}`;
  if (payoutCents > 0) return `${usd(payoutCents)}${playerCount > 1 ? " in all" : ""} for ${length}.`;
  return payments.enabled ? `Unpaid, ${length}.` : `${length}.`;
}

function dueText({ isChosen, forTeam, hours, scheduledAt }: NewOffer, zone: string | null): string {
  const chosen = isChosen ? "The owner chooses who plays. " : "";
  if (scheduledAt !== null)
    return `${chosen}Played at ${zonedText(scheduledAt, zone)}. Submit your video within ${hours} hours after that.`;
  const from = isChosen ? "the owner chooses you" : forTeam ? "your team is complete" : "you claim it";
  return `${chosen}Submit your video within ${hours} hours after ${from}.`;
}

/** For a playtester who asked to be told of new playtests. */
export function newOffersLetter({ config, zone, offers, total, heldAll }: NewOffers): Listing {
  const links = portalLinks(config);
  const more = total - offers.length;
  const names = offers.map(({ gameName }) => nameInMail(gameName));
  const list = { label: "See all playtests", url: links.offers };
  return {
    subject: total === 1 ? `A new playtest for you: ${names[0]}` : `${total} new playtests for you`,
    preview: names.join(" · "),
    paragraphs: [
      `${total === 1 ? "A new playtest is" : `${total} new playtests are`} open to you. A slot may be taken before you look.`,
      ...(heldAll === null
        ? []
        : [`You hold ${plural(heldAll, "slot")}, the most at once. Before you claim another one, submit or release one.`]),
    ],
    entries: [
      ...offers.map((offer, at) => ({
        subject: names[at]!,
        paragraphs: [`${payAndLength(config, offer)}\n${dueText(offer, zone)}`],
        action: { label: offer.isChosen ? "See and apply" : "See and claim", url: links.offer(offer.playtestId) },
      })),
      ...(more > 0 ? [{ subject: `and ${more} more`, paragraphs: [], action: list }] : []),
    ],
  };
}
