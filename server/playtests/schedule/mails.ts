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

const calendarNote = "The attached calendar file has the time.";

export const startingLetter = (about: About & { scheduledAt: number; deadlineAt: number | null; calendar: string }): Letter => {
  const game = nameInMail(about.gameName);
  const at = zonedText(about.scheduledAt, about.zone);
  const until = about.deadlineAt === null ? undefined : zonedText(about.deadlineAt, about.zone);
  return {
    subject: `Your playtest of ${game} begins at ${at}`,
    paragraphs: [
      `You agreed to playtest ${game} at ${at}. ${calendarNote}`,
      `You cannot submit a video before that time.${until ? ` Submit it before ${until}.` : ""} If you cannot play then, release the slot now, so that another playtester can claim it.`,
    ],
    action: yourSlot(about),
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
      `Accept or decline by ${until}. If you decline or do not answer, your slot is released. This does not count against you.`,
    ],
    action: { label: "Answer", url: portalLinks(about.config).slot(about.slotId) },
  };
};

export const agreedLetter = (about: About & { scheduledAt: number; deadlineAt: number | null; calendar: string }): Letter => {
  const game = nameInMail(about.gameName);
  const at = zonedText(about.scheduledAt, about.zone);
  return {
    subject: `You playtest ${game} at ${at}`,
    paragraphs: [
      `You agreed to playtest ${game} at ${at}. ${calendarNote}`,
      ...(about.deadlineAt === null ? [] : [`Submit your video before ${zonedText(about.deadlineAt, about.zone)}.`]),
    ],
    action: yourSlot(about),
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
  about: About & { playtestId: string; playtesterName: string; scheduledAt: number; answer: "accepted" | "declined" | "none" },
): Letter => {
  const [who, game, at] = [
    nameInMail(about.playtesterName),
    nameInMail(about.gameName),
    zonedText(about.scheduledAt, about.zone),
  ];
  const isAccepted = about.answer === "accepted";
  const said = { accepted: "agreed", declined: "declined", none: "did not agree in time" }[about.answer];
  return {
    subject: isAccepted ? `${who} agreed to the new time of ${game}` : `A slot of ${game} is open again`,
    paragraphs: [`${who} ${said} to play ${game} at ${at}.${isAccepted ? "" : " The slot is open again, for that time."}`],
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
  };
};
