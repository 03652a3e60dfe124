import { zonedText } from "../../../src/contract/time/zones.ts";
import type { Config } from "../../config/schema.ts";
import { usd } from "../../lib/money.ts";
import { portalLinks } from "../../mail/links.ts";
import { type Letter, nameInMail } from "../../mail/texts.ts";

interface About {
  config: Pick<Config, "baseUrl">;
  payoutId: string;
  cents: number;
  /** When it was sent or, if it failed, made (ms). */
  at: number;
  zone: string | null;
}

const seeEarnings = ({ config }: About) => ({ label: "See your earnings", url: portalLinks(config).earnings });

export const payoutSentLetter = (about: About): Letter => ({
  subject: `${usd(about.cents)} of your earnings were paid out`,
  paragraphs: [
    `The operator of this server recorded on ${zonedText(about.at, about.zone)} that a payout of ${usd(about.cents)} was sent to you. If it does not arrive, contact the operator.`,
    `Payout: ${about.payoutId}`,
  ],
  action: seeEarnings(about),
});

export const payoutFailedLetter = (about: About & { failure: string | null }): Letter => ({
  subject: `Your payout of ${usd(about.cents)} failed`,
  paragraphs: [
    `The payout of ${usd(about.cents)} of ${zonedText(about.at, about.zone)} failed. The amount was returned to your earnings and can be paid out again.`,
    ...(about.failure === null ? [] : [`Reason: ${nameInMail(about.failure)}`]),
    "Check your payout details on the page of your earnings.",
    `Payout: ${about.payoutId}`,
  ],
  action: seeEarnings(about),
});
