import { zonedText } from "../../../src/contract/time/zones.ts";
import type { Config } from "../../config/schema.ts";
import { usd } from "../../lib/money.ts";
import { portalLinks, taskLink } from "../../mail/links.ts";
import { type Letter, nameInMail } from "../../mail/texts.ts";
import { calendarFile } from "./calendar.ts";

/** The emails about playtests at a fixed time. Every time in them is told in the reader's zone, with its name. */
interface About {
  config: Pick<Config, "baseUrl">;
  gameName: string;
  /** The reader's; null for UTC. */
  zone: string | null;
  slotId: string;
  /** Who claimed the slot, and decides and submits for the reader's team; absent for that playtester. */
  claimantName?: string | undefined;
}

export interface Session {
  slotId: string;
  gameName: string;
  scheduledAt: number;
  durationMinutes: number;
}

const minute = 60_000;

/** The session as a calendar file for its playtester. */
export function sessionCalendar(config: About["config"], session: Session, now: number): string {
  const url = portalLinks(config).slot(session.slotId);
  return calendarFile({
    uid: `${session.slotId}@${new URL(config.baseUrl).hostname}`,
    madeAt: now,
    startsAt: session.scheduledAt,
    endsAt: session.scheduledAt + session.durationMinutes * minute,
    summary: `Playtest of ${nameInMail(session.gameName)}`,
    description: `Play for ${session.durationMinutes} minutes and record a video: ${url}`,
    url,
  });
}

const yourSlot = ({ config, slotId }: About) => ({ label: "View slot", url: portalLinks(config).slot(slotId) });

/** When the video is due, and who submits it. Nothing while the deadline is paused. */
function dueNote({ deadlineAt, zone, claimantName }: About & { deadlineAt: number | null }): string[] {
  if (deadlineAt === null) return [];
  const until = zonedText(deadlineAt, zone);
  return [
    claimantName === undefined
      ? `Submit your video before ${until}.`
      : `${nameInMail(claimantName)} submits the video before ${until}.`,
  ];
}

export const startingLetter = (
  about: About & { scheduledAt: number; deadlineAt: number | null; calendar: string | undefined },
): Letter => {
  const game = nameInMail(about.gameName);
  const at = zonedText(about.scheduledAt, about.zone);
  const ifYouCannot =
    about.claimantName === undefined ? "release the slot now" : "leave the team now, so that another friend can take your place";
  return {
    subject: `Your playtest of ${game} begins at ${at}`,
    paragraphs: [
      `You agreed to playtest ${game} at ${at}.`,
      [`No video can be submitted before that time.`, ...dueNote(about), `If you cannot play then, ${ifYouCannot}.`].join(" "),
    ],
    action: yourSlot(about),
    usefulUntil: about.scheduledAt,
    onlyAsks: true,
    calendar: about.calendar,
  };
};

export const proposedLetter = (about: About & { scheduledAt: number; previousAt: number; answerBy: number }): Letter => {
  const game = nameInMail(about.gameName);
  const [at, previously, until] = [about.scheduledAt, about.previousAt, about.answerBy].map((ms) => zonedText(ms, about.zone));
  return {
    subject: `Can you playtest ${game} at another time?`,
    paragraphs: [
      `The owner of ${game} proposes to play at ${at} instead of ${previously}.`,
      about.claimantName === undefined
        ? `Accept or decline by ${until}. If you decline or do not answer, your slot is released. This does not count against you.`
        : `${nameInMail(about.claimantName)}, who claimed the slot, answers for your team by ${until}. Tell them whether you can play at the new time. Without an answer the slot is released, which does not count against you.`,
    ],
    action:
      about.claimantName === undefined ? { label: "Answer", url: portalLinks(about.config).slot(about.slotId) } : yourSlot(about),
    usefulUntil: about.answerBy,
    onlyAsks: true,
  };
};

/** For everybody who was asked about another time that the owner took back. `scheduledAt` is the time that stays. */
export const keptLetter = (about: About & { scheduledAt: number; proposedAt: number; answerBy: number }): Letter => {
  const game = nameInMail(about.gameName);
  const [at, proposed] = [about.scheduledAt, about.proposedAt].map((ms) => zonedText(ms, about.zone));
  return {
    subject: `Your playtest of ${game} stays at ${at}`,
    paragraphs: [
      `The owner of ${game} took back the proposal to play at ${proposed}. You play at ${at}, as before. You do not need to answer.`,
    ],
    action: yourSlot(about),
    usefulUntil: about.answerBy,
  };
};

export const agreedLetter = (
  about: About & { scheduledAt: number; deadlineAt: number | null; calendar: string | undefined },
): Letter => {
  const game = nameInMail(about.gameName);
  const at = zonedText(about.scheduledAt, about.zone);
  const agreed =
    about.claimantName === undefined
      ? `You agreed to playtest ${game} at ${at}.`
      : `${nameInMail(about.claimantName)} agreed for your team to playtest ${game} at ${at}. If you cannot play then, leave the team, so that another friend can take your place.`;
  return {
    subject: `You playtest ${game} at ${at}`,
    paragraphs: [agreed, ...dueNote(about)],
    action: yourSlot(about),
    usefulUntil: about.scheduledAt,
    calendar: about.calendar,
  };
};

/** For a playtester whose slot was released because they did not answer. One who declined knows. */
export const releasedLetter = (about: About): Letter => {
  const game = nameInMail(about.gameName);
  return {
    subject: `Your slot of ${game} was released`,
    paragraphs: [
      `The owner of ${game} proposed another time, and you did not answer in time. So your slot was released. This does not count against you.`,
    ],
    action: { label: "See other playtests", url: portalLinks(about.config).offers },
  };
};

/** For the owner who proposed another time. */
export const answeredLetter = (
  about: About & {
    playtestId: string;
    playtesterName: string;
    scheduledAt: number;
    answer: "accepted" | "declined" | "none";
    /** No other playtester can have the slot, and what came back for it. */
    isClosed: boolean;
    refunded: string | undefined;
  },
): Letter => {
  const [who, game, at] = [
    nameInMail(about.playtesterName),
    nameInMail(about.gameName),
    zonedText(about.scheduledAt, about.zone),
  ];
  const isAccepted = about.answer === "accepted";
  const said = { accepted: "agreed", declined: "declined", none: "did not agree in time" }[about.answer];
  const released = about.isClosed
    ? ` Applications have ended, so nobody else can be chosen, and the slot is closed.${about.refunded ? ` You got ${about.refunded} back.` : ""}`
    : " The slot is open again, for that time.";
  return {
    subject: isAccepted
      ? `${who} agreed to the new time of ${game}`
      : `A slot of ${game} is ${about.isClosed ? "closed" : "open again"}`,
    paragraphs: [`${who} ${said} to play ${game} at ${at}.${isAccepted ? "" : released}`],
    action: { label: "See the playtest", url: taskLink(about.config, "playtest", about.playtestId) },
  };
};

/** For the playtester whose claimed slot the owner cancelled. */
export const cancelledLetter = (about: About & { scheduledAt: number; payoutCents: number }): Letter => {
  const game = nameInMail(about.gameName);
  const at = zonedText(about.scheduledAt, about.zone);
  return {
    subject: `Your playtest of ${game} was cancelled`,
    paragraphs: [
      `The owner of ${game} cancelled your playtest at ${at}. Remove it from your calendar.`,
      about.payoutCents > 0
        ? `Because it was less than 12 hours before that time, you earned ${usd(about.payoutCents)}. You do not have to do anything.`
        : "This does not count against you. You can claim slots of other playtests.",
    ],
    action: yourSlot(about),
    usefulUntil: about.scheduledAt,
  };
};
