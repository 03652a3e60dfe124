import { compose, type Letter } from "../../mail/texts.ts";

/** The mails a playtester gets about their applications and slots. */
interface To {
  name: string;
  gameName: string;
}

/** A time as mails say it: `2026-03-04 12:00 UTC`. */
export const utc = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;

export const composeReminder = (to: To & { deadlineAt: number }): Letter =>
  compose({
    subject: `Your playtest of ${to.gameName} is due at ${utc(to.deadlineAt)}`,
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `You hold a playtest slot of ${to.gameName}. Submit your video before ${utc(to.deadlineAt)}; after that the slot goes to somebody else.`,
      "If you cannot, release the slot. If the build does not work, report it: that stops the deadline.",
    ],
  });

export const composeApproved = (to: To & { deadlineAt: number }): Letter =>
  compose({
    subject: `You were chosen to playtest ${to.gameName}`,
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `Your application to playtest ${to.gameName} was approved and a slot is reserved for you.`,
      `Submit your video before ${utc(to.deadlineAt)}. If you cannot, release the slot so that somebody else can have it.`,
    ],
  });

/** `customMessage` is the owner's own words, as they wrote them. */
export const composeRejected = (to: To & { customMessage?: string | undefined }): Letter =>
  compose({
    subject: `Your application to playtest ${to.gameName}`,
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `Your application to playtest ${to.gameName} was not chosen.`,
      ...(to.customMessage ? ["The owner wrote:", to.customMessage] : []),
    ],
  });

export const composeClosed = (to: To): Letter =>
  compose({
    subject: `Your application to playtest ${to.gameName}`,
    greeting: `Hello ${to.name},`,
    paragraphs: [`The playtest of ${to.gameName} is closed, so your application ends without a slot. Other playtests are open.`],
  });
