import { compose, type Letter } from "./mails.ts";

/** The mails an applicant gets when their application was decided. */
interface To {
  name: string;
  gameName: string;
}

export const composeApproved = (to: To & { deadline: string }): Letter =>
  compose({
    subject: `You were chosen to playtest ${to.gameName}`,
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `Your application to playtest ${to.gameName} was approved and a slot is reserved for you.`,
      `Submit your video before ${to.deadline}. If you cannot, release the slot so that somebody else can have it.`,
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
