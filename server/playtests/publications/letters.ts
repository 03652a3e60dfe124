import type { Config } from "../../config/schema.ts";
import { usd } from "../../lib/money.ts";
import { portalLinks, taskLink } from "../../mail/links.ts";
import { type Letter, nameInMail } from "../../mail/texts.ts";

/** For a playtester. `paidCents`: what they earned with it. */
export function publishedLetter({ gameName, url, paidCents }: { gameName: string; url: string; paidCents: number }): Letter {
  const game = nameInMail(gameName);
  return {
    subject: `Your video of ${game} is published`,
    paragraphs: [
      `Everybody can watch your playtest of ${game} now.${paidCents > 0 ? ` You earned ${usd(paidCents)}.` : ""} Thank you.`,
    ],
    action: { label: "Watch the video", url },
  };
}

/** For a playtester who is paid for a video that no page shows now. */
export function paidUnshownLetter(about: { config: Pick<Config, "baseUrl">; gameName: string; paidCents: number }): Letter {
  const [game, amount] = [nameInMail(about.gameName), usd(about.paidCents)];
  return {
    subject: `You earned ${amount} for your playtest of ${game}`,
    paragraphs: [
      `Your playtest of ${game} earned you ${amount}. The video is not shown now, because the game or the account of its owner is suspended.`,
    ],
    action: { label: "See your earnings", url: portalLinks(about.config).earnings },
  };
}

/** For the owner. `isReviewed`: the video was accepted already. */
export function withdrawnLetter(about: {
  config: Pick<Config, "baseUrl">;
  slotId: string;
  gameName: string;
  playtesterName: string;
  isReviewed: boolean;
  reason: string | null;
}): Letter {
  const [who, game] = [nameInMail(about.playtesterName), nameInMail(about.gameName)];
  return {
    subject: `${who} does not want a video of ${game} to be published`,
    paragraphs: [
      `${who} withdrew the consent to publish the video of their playtest of ${game}. ${about.isReviewed ? "It is deleted where it was published, and cannot be published again." : "It will not be published. You review it as usual, and its playtester is paid if you accept it."} You can still watch it.`,
      ...(about.reason === null ? [] : ["The reason:", about.reason]),
    ],
    action: { label: "See the slot", url: taskLink(about.config, "review", about.slotId) },
  };
}

interface Failed {
  config: Pick<Config, "baseUrl">;
  slotId: string;
  gameName: string;
  playtesterName: string;
  /** What people call where it should have been published. */
  platform: string;
  /** A sentence. */
  reason: string;
  /** For operators, who can do something about it: with what the platform said. */
  publicationId?: string;
  detail?: string | null;
}

/** For the owner, or with `publicationId` for an operator. */
export function publishFailedLetter({ config, slotId, publicationId, detail, ...about }: Failed): Letter {
  const [who, game] = [nameInMail(about.playtesterName), nameInMail(about.gameName)];
  return {
    subject: `The video of ${who} was not published on ${about.platform}`,
    paragraphs: [
      `${who}'s playtest of ${game} was to be published on ${about.platform}, which did not work. The reason:`,
      about.reason,
      ...(detail ? [`What the platform or the server said: ${detail}`] : []),
      `The video is on the page of this server instead, and the playtest is accepted as usual.`,
      ...(publicationId === undefined ? [] : ["Publishing can be tried again once the cause is removed."]),
    ],
    action:
      publicationId === undefined
        ? { label: "See the submission", url: taskLink(config, "review", slotId) }
        : { label: "See the publication", url: taskLink(config, "publication", publicationId) },
  };
}
