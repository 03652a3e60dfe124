import type { ReportOutcome } from "../../../src/contract/slots.ts";
import type { Absence, TeamEnding } from "../../../src/contract/teams/statuses.ts";
import { zonedText } from "../../../src/contract/time/zones.ts";
import type { Config } from "../../config/schema.ts";
import { absenceTexts, endedText } from "../../events/team-texts.ts";
import { usd } from "../../lib/money.ts";
import { portalLinks } from "../../mail/links.ts";
import { type Letter, nameInMail } from "../../mail/texts.ts";

/** The emails about friends and teams. */
interface Base {
  config: Pick<Config, "baseUrl" | "payments">;
}

interface About extends Base {
  gameName: string;
  slotId: string;
}

interface ZonedAbout extends About {
  /** The reader's time zone; null for UTC. */
  zone: string | null;
}

const toFriends = ({ config }: Base) => ({ label: "See your friends", url: portalLinks(config).friends });
const toSlot = ({ config, slotId }: About, label = "View slot") => ({ label, url: portalLinks(config).slot(slotId) });

export const friendLetter = ({ config, name }: Base & { name: string }): Letter => ({
  subject: `${nameInMail(name)} wants to be your friend`,
  paragraphs: [
    `${nameInMail(name)} asks to be your friend, so that you can claim playtests for several players together. Accept or decline the request. You can also block them: they are not told.`,
  ],
  action: toFriends({ config }),
});

export const acceptedFriendLetter = ({ config, name }: Base & { name: string }): Letter => ({
  subject: `${nameInMail(name)} accepted your request`,
  paragraphs: [`${nameInMail(name)} is your friend now. You can name them when you claim a playtest for several players.`],
  action: toFriends({ config }),
});

export const requestLetter = (
  about: ZonedAbout & {
    claimantName: string;
    shareCents: number;
    payoutCents: number;
    confirmBy: number;
    /** The fixed time of the playtest with its zone. */
    at: string | undefined;
    /** The reader is asked in the place of another one, and the slot is the team's already. */
    isReserved: boolean;
  },
): Letter => {
  const [who, game] = [nameInMail(about.claimantName), nameInMail(about.gameName)];
  const share =
    about.payoutCents > 0 ? ` Your share of the payout of ${usd(about.payoutCents)} is ${usd(about.shareCents)}.` : "";
  return {
    preview: `Confirm or decline before ${zonedText(about.confirmBy, about.zone)}.${share}`,
    subject: `Playtest ${game} with ${who}?`,
    paragraphs: [
      `${who} claimed a slot to playtest ${game} and named you.${about.at ? ` It is played at ${about.at}.` : ""}${share}`,
      `Confirm or decline before ${zonedText(about.confirmBy, about.zone)}. ${about.isReserved ? `If you do not, ${who} can ask another friend.` : "If not everybody confirms, the slot is open again."}`,
    ],
    action: toSlot(about, "Confirm or decline"),
    usefulUntil: about.confirmBy,
    onlyAsks: true,
  };
};

export const changedAgreementLetter = ({
  config,
  gameName,
  playtestId,
}: Base & { gameName: string; playtestId: string }): Letter => ({
  subject: `Please accept the changed agreement of ${nameInMail(gameName)}`,
  paragraphs: [
    `You agreed to playtest ${nameInMail(gameName)} with friends. Its agreement was changed since.`,
    "Read the new version and accept it. Until then the slot cannot be reserved for your team.",
  ],
  action: { label: "Read the agreement", url: portalLinks(config).agreement(playtestId) },
});

/** `deadlineAt` is null while a reported problem pauses it; `at` is the fixed time of the playtest with its zone. */
interface Playing extends ZonedAbout {
  deadlineAt: number | null;
  isClaimant: boolean;
  claimantName: string;
  at: string | undefined;
}

const dueText = ({ deadlineAt, zone }: Playing) => (deadlineAt === null ? "" : `before ${zonedText(deadlineAt, zone)}`);

const timeNotes = ({ at, deadlineAt }: Playing) => [
  ...(at ? [`You play together at ${at}.`] : []),
  ...(deadlineAt === null ? ["The deadline is paused until the problem that was reported with the game is answered."] : []),
];

export const completeLetter = (about: Playing): Letter => {
  const task = about.isClaimant
    ? "Record the session, and submit the video"
    : `${nameInMail(about.claimantName)} submits the video`;
  const due = dueText(about);
  return {
    subject: `Your team for ${nameInMail(about.gameName)} is complete`,
    paragraphs: [`Everybody confirmed, and the slot is reserved for your team. ${task}${due && ` ${due}`}.`, ...timeNotes(about)],
    action: toSlot(about),
  };
};

/** Somebody joined a team in the place of one who left, and others are still missing. `remedy` says what the claimant does about them. */
export const joinedLetter = (about: Playing & { joinedName: string; remedy: string }): Letter => {
  const [who, claimant, game] = [about.joinedName, about.claimantName, about.gameName].map(nameInMail);
  const due = dueText(about);
  const when = `when all have confirmed${due && `, and ${due}`}`;
  return {
    subject: about.isClaimant ? `${who} joined your team for ${game}` : `You joined the team of ${claimant} for ${game}`,
    paragraphs: [
      about.isClaimant
        ? `${who} confirmed, and plays ${game} with you. Your team is not complete yet. ${about.remedy} Submit the video ${when}.`
        : `You confirmed, and play ${game} with ${claimant}. The team is not complete yet. ${claimant} submits the video ${when}.`,
      ...timeNotes(about),
    ],
    action: toSlot(about),
  };
};

/** For those who play with whoever reported a problem, when the report is closed. `deadlineAt` is the new one of an unblocked slot. */
export function teamResolvedLetter(
  about: ZonedAbout & {
    claimantName: string;
    outcome: ReportOutcome;
    message?: string | null;
    deadlineAt?: number;
    newKeys?: number;
  },
): Letter {
  const [who, game] = [nameInMail(about.claimantName), nameInMail(about.gameName)];
  const action = toSlot(about);
  if (about.outcome === "unblocked")
    return {
      subject: `Continue your playtest of ${game}`,
      paragraphs: [
        `The problem that ${who} reported with ${game} was answered, and the slot is your team's again.`,
        ...(about.message ? ["The answer:", about.message] : []),
        ...(about.newKeys ? ["There are new game keys: see the slot."] : []),
        `${who} submits the video before ${zonedText(about.deadlineAt!, about.zone)}.`,
      ],
      action,
    };
  const unpaid = about.config.payments.enabled ? "The slot is not paid. " : "";
  return {
    subject: `Your slot of ${game} was cancelled`,
    paragraphs: [
      about.outcome === "expired"
        ? `The problem that ${who} reported with ${game} was not answered in time, so the slot of your team was cancelled.`
        : `The owner of ${game} cancelled the slot of your team because of the problem that ${who} reported.`,
      `${unpaid}You can claim slots of other playtests.`,
    ],
    action,
  };
}

export const incompleteLetter = (about: About & { memberName: string; absence: Absence }): Letter => ({
  subject: `${nameInMail(about.memberName)} will not playtest ${nameInMail(about.gameName)} with you`,
  paragraphs: [
    `${nameInMail(about.memberName)} ${absenceTexts[about.absence]}. Ask another friend in their place, or release the slot. A video can be submitted only by a team that is complete.`,
  ],
  action: toSlot(about, "Ask another friend"),
});

export const endedLetter = (about: Omit<About, "slotId"> & { ending: TeamEnding }): Letter => ({
  subject:
    about.ending === "replaced"
      ? `Another friend was asked to playtest ${nameInMail(about.gameName)}`
      : `Your team for ${nameInMail(about.gameName)} ended`,
  paragraphs: [endedText(about.ending, nameInMail(about.gameName)).body],
  action: { label: "See other playtests", url: portalLinks(about.config).offers },
});
