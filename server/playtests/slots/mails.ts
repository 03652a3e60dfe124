import type { ReportOutcome } from "../../../src/contract/slots.ts";
import { compose, type MailContent, nameInMail } from "../../mail/texts.ts";

/** The emails to playtesters about their applications and slots. */
interface To {
  name: string;
  gameName: string;
}

/** A time as emails show it: `2026-03-04 12:00 UTC`. */
export const utc = (ms: number) => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;

export const composeReminder = (to: To & { deadlineAt: number }): MailContent =>
  compose({
    subject: `Your playtest of ${nameInMail(to.gameName)} is due at ${utc(to.deadlineAt)}`,
    to: to.name,
    paragraphs: [
      `You have a slot to playtest ${nameInMail(to.gameName)}. Submit your video before ${utc(to.deadlineAt)}. After that the slot expires and becomes available to other playtesters.`,
      "If you cannot finish, release the slot. If the build does not work, report it: your deadline is then paused.",
    ],
  });

export const composeApproved = (to: To & { deadlineAt: number }): MailContent =>
  compose({
    subject: `You were chosen to playtest ${nameInMail(to.gameName)}`,
    to: to.name,
    paragraphs: [
      `Your application to playtest ${nameInMail(to.gameName)} was approved, and a slot is reserved for you.`,
      `Submit your video before ${utc(to.deadlineAt)}. If you cannot finish, release the slot so that another playtester can claim it.`,
    ],
  });

/** `customMessage` is the owner's own text, sent unchanged. */
export const composeRejected = (to: To & { customMessage?: string | undefined }): MailContent =>
  compose({
    subject: `Your application to playtest ${nameInMail(to.gameName)}`,
    to: to.name,
    paragraphs: [
      `Your application to playtest ${nameInMail(to.gameName)} was not accepted.`,
      ...(to.customMessage ? ["The owner wrote:", to.customMessage] : []),
    ],
  });

export const composeClosed = (to: To): MailContent =>
  compose({
    subject: `Your application to playtest ${nameInMail(to.gameName)}`,
    to: to.name,
    paragraphs: [
      `The playtest of ${nameInMail(to.gameName)} is closed, so your application was rejected automatically. You can apply to other playtests.`,
    ],
  });

/** For the owner and for admins, who can answer too. `reason` is a sentence; `notes` are the playtester's own words. */
export const composeProblem = (
  to: To & {
    isOwner: boolean;
    playtesterName: string;
    reason: string;
    notes: string | null;
    until: string;
    slotId: string;
    asksForKey: boolean;
  },
): MailContent =>
  compose({
    subject: `${nameInMail(to.playtesterName)} reported a problem with ${nameInMail(to.gameName)}`,
    to: to.name,
    paragraphs: [
      `${nameInMail(to.playtesterName)} cannot continue the playtest of ${nameInMail(to.gameName)}. ${to.reason}`,
      ...(to.notes ? ["The playtester wrote:", to.notes] : []),
      `The deadline of the slot is paused. Answer by ${to.until}: after that the slot is cancelled, ${to.isOwner ? "you are" : "the owner is"} refunded, and the playtester is not paid.`,
      `When the problem is fixed, unblock the slot, which starts a new deadline: playtest review unblock ${to.slotId} ${to.asksForKey ? "--key NEWKEY" : '--message "Fixed."'}`,
      ...(to.isOwner ? [`If you cannot fix it, cancel the slot: playtest review cancel ${to.slotId}`] : []),
    ],
  });

type Ended = To & {
  playtesterName: string;
  outcome: ReportOutcome;
  message?: string | null;
  deadlineAt?: number;
  newKeys?: number;
  refunded?: string;
  /** The slot's page, for its playtester. The owner has none. */
  url?: string;
};

export function composeResolved(to: Ended): MailContent {
  const late = to.outcome === "expired";
  if (to.url === undefined) {
    const back = to.refunded ? `${to.refunded} was refunded.` : "There was nothing to refund.";
    return compose({
      subject: `A slot of ${nameInMail(to.gameName)} was cancelled`,
      to: to.name,
      paragraphs: [
        `The problem that ${nameInMail(to.playtesterName)} reported with ${nameInMail(to.gameName)} was not answered in time, so the slot was cancelled.`,
        `${back} The playtester is not paid.`,
      ],
    });
  }
  const action = { label: "View slot", url: to.url };
  if (to.outcome !== "unblocked")
    return compose({
      subject: `Your slot of ${nameInMail(to.gameName)} was cancelled`,
      to: to.name,
      paragraphs: [
        late
          ? `The problem you reported with ${nameInMail(to.gameName)} was not answered in time, so your slot was cancelled.`
          : `The owner of ${nameInMail(to.gameName)} cancelled your slot because of the problem you reported.`,
        "The slot is not paid. You can claim slots of other playtests.",
      ],
      action,
    });
  return compose({
    subject: `Continue your playtest of ${nameInMail(to.gameName)}`,
    to: to.name,
    paragraphs: [
      `The problem you reported with ${nameInMail(to.gameName)} was answered, and the slot is yours again.`,
      ...(to.message ? ["The answer:", to.message] : []),
      ...(to.newKeys ? [`You have ${to.newKeys === 1 ? "a new game key" : "new game keys"}: see the slot.`] : []),
      `Submit your video before ${utc(to.deadlineAt!)}.`,
    ],
    action,
  });
}

/** For the owner of a playtest whose open slots have too few game keys left. */
export const composeKeysLow = (to: To & { playtestId: string; unused: number; needed: number }): MailContent =>
  compose({
    subject: `Game keys are running out for your playtest of ${nameInMail(to.gameName)}`,
    to: to.name,
    paragraphs: [
      `A slot of your playtest of ${nameInMail(to.gameName)} opened again. Its game key was shown to a playtester, so nobody else gets it.`,
      `The open slots need ${to.needed} ${to.needed === 1 ? "key" : "keys"}, and ${to.unused} ${to.unused === 1 ? "is" : "are"} left. Nobody can claim a slot without its keys.`,
      `Add keys, one per line in a file: playtest playtests keys add ${to.playtestId} --file keys.txt`,
    ],
  });
