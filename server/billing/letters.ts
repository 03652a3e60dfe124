import type { DisputeEnding } from "../../src/contract/billing.ts";
import { zonedText } from "../../src/contract/time/zones.ts";
import type { Config } from "../config/schema.ts";
import { usd } from "../lib/money.ts";
import { taskLink } from "../mail/links.ts";
import { compose, type Letter } from "../mail/texts.ts";

/** The emails about an owner's money. */

interface About {
  config: Pick<Config, "baseUrl">;
}

interface Paid extends About {
  paymentId: string;
  cents: number;
}

interface Described extends Paid {
  description: string | null;
}

const seePayment = ({ config, paymentId }: Paid) => ({ label: "See the payment", url: taskLink(config, "payment", paymentId) });
const bought = ({ description }: Described) => description ?? "Account credit";

interface Receipt extends Described {
  invoice: { id: string; number: string };
  /** In milliseconds. */
  paidAt: number;
  zone: string | null;
}

export const receiptLetter = (about: Receipt): Letter => ({
  preview: `${usd(about.cents)} for: ${bought(about)}`,
  subject: `Receipt for ${usd(about.cents)}`,
  paragraphs: [
    `We received your payment of ${usd(about.cents)} on ${zonedText(about.paidAt, about.zone)}. Thank you.`,
    `For: ${bought(about)}\nPayment: ${about.paymentId}\nInvoice: ${about.invoice.number}`,
    "You find the invoice as a PDF file on the page of the payment.",
  ],
  document: { id: about.invoice.id, note: "It is also attached to this email." },
  action: { ...seePayment(about), label: "Download the invoice" },
});

export const paymentFailedLetter = (about: Described): Letter => ({
  subject: `Your payment of ${usd(about.cents)} failed`,
  paragraphs: [
    `Your payment of ${usd(about.cents)} did not go through, and you were not charged.`,
    `For: ${bought(about)}\nPayment: ${about.paymentId}`,
  ],
  action: seePayment(about),
});

/** For a signed payment that no chain has. */
export const unsettledLetter = (about: Paid): Letter => ({
  subject: `Your signed payment of ${usd(about.cents)} was not made`,
  paragraphs: [
    `Your wallet signed a payment of ${usd(about.cents)}, but it was never sent to the chain, and it has expired. You were not charged.`,
    `To pay, request payment instructions again and sign those.\nPayment: ${about.paymentId}`,
  ],
  action: seePayment(about),
});

/** For a crypto payment that could not be credited. `why` is a sentence. */
export const sentBackLetter = (about: Paid & { why: string }): Letter => ({
  subject: `Your crypto payment of ${usd(about.cents)} was sent back`,
  paragraphs: [`Your crypto payment of ${usd(about.cents)} was refunded instead of credited.`, `Reason: ${about.why}`],
  action: seePayment(about),
});

interface LowCredit extends About {
  balanceCents: number;
  thresholdCents: number;
  takesCards: boolean;
}

export const creditLowLetter = ({ config, balanceCents, thresholdCents, takesCards }: LowCredit): Letter => ({
  subject: `Your credit is ${usd(balanceCents)}`,
  paragraphs: [
    `After your last order your credit is ${usd(balanceCents)}, less than ${usd(thresholdCents)}.`,
    takesCards
      ? "Playtests that are running are paid for and continue. Add credit before the next order, or pay it by card or with playtest hours."
      : "Playtests that are running are paid for and continue. Add credit before the next order, or pay it with playtest hours.",
    takesCards ? "You can add credit by card." : "The page of your credit says how to add some.",
  ],
  action: { label: "Add credit", url: taskLink(config, "credit") },
});

const seeBudgets = ({ config }: About) => ({ label: "See the budgets", url: taskLink(config, "budget") });

/** `budget` says in words what is left of it. */
export const budgetSpentLetter = (about: About & { budget: string; percent: number }): Letter => ({
  subject: about.percent === 100 ? "A budget is spent" : `${about.percent} % of a budget is spent`,
  paragraphs: [`${about.budget}.`],
  action: seeBudgets(about),
});

export const budgetRefusedLetter = (about: About & { budget: string }): Letter => ({
  subject: "A budget refused an order or payment",
  paragraphs: [
    `An order or payment was refused because a budget does not cover it. ${about.budget}.`,
    "You get one such email for each day, month or total of a budget.",
  ],
  action: seeBudgets(about),
});

interface Renewal extends About {
  planName: string;
  /** When it is tried again (ms), if it is. */
  retryAt: number | null;
  zone: string | null;
}

export const renewalFailedLetter = ({ config, planName, retryAt, zone }: Renewal): Letter => ({
  subject: `The renewal of ${planName} could not be charged`,
  paragraphs: [
    `The renewal of ${planName} could not be charged.`,
    retryAt !== null
      ? `The charge is tried again on ${zonedText(retryAt, zone)}. Make sure that your card can be charged by then, or subscribe again with another card.`
      : "The charge is not tried again, so the plan has ended. You keep your unused hours and can subscribe again.",
  ],
  action: { label: "See the subscription", url: taskLink(config, "subscription") },
});

interface Disputed extends Paid {
  name: string;
  /** Given if the payment was for a plan. `hours`: the plan's hours were taken, or returned. */
  plan?: { hours: boolean } | undefined;
}

export const composeDisputed = (about: Disputed) =>
  compose({
    subject: "A payment of yours was disputed",
    to: about.name,
    paragraphs: [
      about.plan
        ? `${usd(about.cents)} of your payment ${about.paymentId} for a plan was disputed at the bank, so the amount was taken back from this marketplace. The plan has ended${about.plan.hours ? ", and its hours were taken from your account" : ""}.`
        : `${usd(about.cents)} of your payment ${about.paymentId} was disputed at the bank, so the amount was taken back from this marketplace and from your account.`,
      "Until the dispute has ended you cannot order playtests, and playtesters are not paid what this payment paid for. Running playtests continue.",
      "If you did not dispute it, or want to withdraw the dispute, ask your bank, then tell the operator of the server.",
    ],
    action: seePayment(about),
  });

const endings: Record<DisputeEnding, (about: Disputed) => string> = {
  won: ({ cents, paymentId, plan }) =>
    plan
      ? `The dispute of your payment ${paymentId} for a plan was decided. The plan stays ended${plan.hours ? ", and its hours were returned to your account" : ""}.`
      : `The dispute of your payment ${paymentId} was decided, and ${usd(cents)} was returned to your account.`,
  lifted: ({ cents, paymentId }) =>
    `The operator ended the freeze that came with the dispute of ${usd(cents)} of your payment ${paymentId}. The amount is not returned.`,
};

interface DisputeEnded extends Disputed {
  disputeEnding: DisputeEnding;
  /** The freeze of this dispute had ended before. */
  wasLifted: boolean;
  /** Another dispute freezes orders. */
  stillFrozen: boolean;
}

function ordersAfter({ wasLifted, stillFrozen }: DisputeEnded): string[] {
  if (wasLifted) return [];
  return [
    stillFrozen ? "Another payment of yours is still disputed, so you cannot order yet." : "You can order playtests again.",
  ];
}

export const composeDisputeEnded = (about: DisputeEnded) =>
  compose({
    subject: "A dispute of your payment has ended",
    to: about.name,
    paragraphs: [endings[about.disputeEnding](about), ...ordersAfter(about)],
    action: seePayment(about),
  });
