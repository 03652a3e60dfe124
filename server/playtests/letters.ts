import { zonedText } from "../../src/contract/time/zones.ts";
import type { Config } from "../config/schema.ts";
import { usd } from "../lib/money.ts";
import { taskLink } from "../mail/links.ts";
import { type Letter, nameInMail } from "../mail/texts.ts";

/** The emails about orders and free trials that somebody has to approve. */

interface About {
  config: Pick<Config, "baseUrl">;
  gameName: string;
}

interface AskedOrder extends About {
  approvalId: string;
  keyName: string;
  totalCents: number;
  /** Until when it waits (ms). */
  waitsUntil: number;
  zone: string | null;
}

export const orderApprovalLetter = ({ config, gameName, keyName, totalCents, ...about }: AskedOrder): Letter => ({
  subject: `Approve an order of ${usd(totalCents)}?`,
  paragraphs: [
    `The API key ${nameInMail(keyName)} wants to order a playtest of ${nameInMail(gameName)} for ${usd(totalCents)}. Nothing was ordered or charged yet. It waits for you until ${zonedText(about.waitsUntil, about.zone)}.`,
  ],
  action: { label: "Decide on the order", url: taskLink(config, "order", about.approvalId) },
  usefulUntil: about.waitsUntil,
  onlyAsks: true,
});

/** `slotId` is that of a video; null for the trial itself. */
export function approvalPendingLetter({
  config,
  gameName,
  playtestId,
  slotId,
}: About & { playtestId: string; slotId: string | null }): Letter {
  const what = slotId === null ? "The free trial" : "A video of the free trial";
  const until = slotId === null ? "Playtesters cannot see it until then." : "It is not published until then.";
  return {
    subject: `${what} of ${nameInMail(gameName)} waits for your approval`,
    paragraphs: [`${what} of ${nameInMail(gameName)} waits for your approval. ${until}`],
    action: { label: "See the approval", url: taskLink(config, "approval", slotId ?? playtestId) },
  };
}

interface Decided extends About {
  playtestId: string;
}

const seePlaytest = ({ config, playtestId }: Decided) => ({
  label: "See the playtest",
  url: taskLink(config, "playtest", playtestId),
});

export const trialApprovedLetter = (about: Decided): Letter => ({
  subject: `Your free trial of ${nameInMail(about.gameName)} is approved`,
  paragraphs: [`The free trial of ${nameInMail(about.gameName)} is approved and now visible to playtesters.`],
  action: seePlaytest(about),
});

export const trialRejectedLetter = (about: Decided & { reason: string | undefined }): Letter => ({
  subject: `Your free trial of ${nameInMail(about.gameName)} was not approved`,
  paragraphs: [
    `The free trial of ${nameInMail(about.gameName)} was not approved and was cancelled.`,
    ...(about.reason ? [`Reason: ${about.reason}`] : []),
    "You can order the free trial again.",
  ],
  action: seePlaytest(about),
});
