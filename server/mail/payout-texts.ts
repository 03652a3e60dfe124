import type { PayoutMethod } from "../../src/contract/accounts/payout-methods.ts";
import { zonedText } from "../../src/contract/time/zones.ts";
import { compose, type Happened, resetAction, whoDid } from "./texts.ts";

const ifNotYou =
  "If this was you, you do not need to do anything. If not, reset your password now, revoke your API keys, correct your payout details, and contact the operator of this server.";

const waiting = (until: number | null, zone: string | null) =>
  until === null
    ? "Your next payout goes there."
    : `No payout goes there before ${zonedText(until, zone)}, so that you have time to object.`;

interface PayoutDetailsSet {
  method: PayoutMethod;
  masked: string;
  until: number | null;
}

function target({ method, masked }: PayoutDetailsSet): string {
  if (method === "bank") return `Your earnings will be paid to the bank account ${masked}.`;
  return method === "paypal"
    ? "Your earnings will be paid by PayPal."
    : "Your earnings will be paid in the way that you described.";
}

/** `until`: when payouts to the new details can be made (ms); null when they can be now. */
export const composePayoutDetailsSet = (about: Happened & PayoutDetailsSet) =>
  compose({
    subject: "Your payout details were changed",
    to: about.name,
    paragraphs: [`${target(about)} ${waiting(about.until, about.zone)}`, whoDid(about), ifNotYou],
    action: resetAction(about),
  });

export const composePayoutDetailsRemoved = (about: Happened) =>
  compose({
    subject: "Your payout details were removed",
    to: about.name,
    paragraphs: ["The operator's payout batches skip you until you enter payout details again.", whoDid(about), ifNotYou],
    action: resetAction(about),
  });
