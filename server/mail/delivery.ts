import { pages } from "../../src/contract/pages/addresses.ts";
import { plural } from "../../src/contract/text/plural.ts";
import { shellQuote } from "../../src/contract/text/shell.ts";
import type { Config } from "../config/schema.ts";
import type { Mailer } from "./mailer.ts";

/** Where emails go: to their readers, to a folder that only the operator reads, or to a sandbox's list that its user reads. */
export type Delivery = "sent" | "saved" | "sandbox";

export function deliveryOf({ config, mailer }: { config: Pick<Config, "sandbox">; mailer: Pick<Mailer, "delivers"> }): Delivery {
  if (mailer.delivers) return "sent";
  return config.sandbox ? "sandbox" : "saved";
}

/** Why nobody got an email, for people who do not operate the server. */
export const noneSent = "This server sends no email: it writes it to its outbox folder, which only its operator can read.";
const readSandbox = `A sandbox sends no email. Read it at ${pages.sandboxMails()} of this server, or with \`playtest sandbox mail\`.`;

/** For somebody who cannot sign in before the address is verified. */
export const unverifiedNote: Record<Delivery, string> = {
  sent: "Open the link in the verification email, or get a sign-in link instead: it also verifies the address, and removes the password.",
  saved: `${noneSent} Ask the operator to verify your address.`,
  sandbox: "A sandbox sends no email. Run `playtest sandbox verify EMAIL` with your address.",
};

/** After an account was registered whose address is not verified. */
export const verificationNote: Record<Delivery, (email: string) => string> = {
  sent: () => "Open the link in the email we sent to verify the address.",
  saved: (email) =>
    `${noneSent} Ask the operator to run \`playtest admin users verify ${shellQuote(email)}\`, or for the link in the email. To have the email written again, run \`playtest auth resend-verification\`.`,
  sandbox: (email) => `A sandbox sends no email. To verify the address, run \`playtest sandbox verify ${shellQuote(email)}\`.`,
};

/** After a verification email was requested again, whether the address has an account or not. */
export const resentNote: Record<Delivery, (email: string) => string> = {
  sent: () => requestedNote.sent,
  saved: (email) =>
    `If an account with this address needs it, an email was written. ${noneSent} Ask the operator to run \`playtest admin users verify ${shellQuote(email)}\`, or for the link in the email.`,
  sandbox: (email) =>
    `If an account with this address needs it, an email was written. A sandbox sends none. Run \`playtest sandbox verify ${shellQuote(email)}\`.`,
};

/** After an email was requested for an address, whether it has an account or not. */
export const requestedNote: Record<Delivery, string> = {
  sent: "If an account with this address needs it, an email is on its way.",
  saved: `If an account with this address needs it, an email was written. ${noneSent} Ask the operator for the link in the email.`,
  sandbox: `If an account with this address needs it, an email was written. ${readSandbox}`,
};

/** After invitations were mailed to several people. */
export const invitedNote = (delivery: Delivery, count: number): string => {
  if (count === 0) return "Nobody was invited: there was nothing to send.";
  const where: Record<Delivery, string> = {
    sent: "The emails are on their way.",
    saved: "This server sends no email: forward the links in its outbox folder, or set PLAYTEST_SMTP_URL.",
    sandbox: readSandbox,
  };
  return `Invited ${plural(count, "person", "people")}. ${where[delivery]}`;
};

/** After two links were mailed for a change of the address. */
export const changeNote: Record<Delivery, (from: string, to: string) => string> = {
  sent: (from, to) => `Open the links that were sent to ${from} and to ${to}. The address changes after both.`,
  saved: (from, to) =>
    `An email to ${from} and one to ${to} were written. ${noneSent} Ask the operator for both links. The address changes after both were opened.`,
  sandbox: (from, to) =>
    `An email to ${from} and one to ${to} were written. ${readSandbox} The address changes after both links.`,
};

/** After a link was mailed to the first address of an administrator's account. */
export const firstAddressNote: Record<Delivery, (to: string) => string> = {
  sent: (to) => `Open the link that was sent to ${to} within 24 hours. Emails come to that address after that.`,
  saved: (to) =>
    `An email to ${to} was written. ${noneSent} Open the link in it within 24 hours. Emails are written to that address after that.`,
  sandbox: (to) => `An email to ${to} was written. ${readSandbox} Emails are written to that address after its link was opened.`,
};
