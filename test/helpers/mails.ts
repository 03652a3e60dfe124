import type { Mail } from "../../server/mail/mailer.ts";
import type { TestServer } from "./server.ts";

/** The subjects of the mails with a one-time link. */
export const subjects = {
  verify: "Verify your email address",
  reset: "Reset your password",
  change: "Confirm the change of your email address",
  signIn: "Your sign-in link",
} as const;

/** The last mail with this subject. Mails that are due at the same time are sent in any order, so the last of all may be another. */
export function lastMail({ mails }: Pick<TestServer, "mails">, subject: string): Mail {
  const found = mails.findLast((mail) => mail.subject === subject);
  if (!found) throw new Error(`No mail "${subject}" was sent, only: ${mails.map((mail) => mail.subject).join(", ") || "none"}`);
  return found;
}

/** The one-time token in the last mail of this kind. */
export const mailedToken = (server: Pick<TestServer, "mails">, kind: keyof typeof subjects): string =>
  /token=([\w-]+)/.exec(lastMail(server, subjects[kind]).text)![1]!;

/** The path and query of the link in the last mail of this kind. */
export function mailedPath(server: Pick<TestServer, "mails">, kind: keyof typeof subjects): string {
  const url = new URL(/https?:\/\/\S+/.exec(lastMail(server, subjects[kind]).text)![0]);
  return url.pathname + url.search;
}
