import { join } from "node:path";
import { senderOf } from "../config/brand.ts";
import type { Config } from "../config/schema.ts";
import type { Check } from "../database/port.ts";
import { createMailer } from "../mail/create.ts";

/** An email of this id, to this address, at this time (ms). */
export interface TestMail {
  id: string;
  to: string;
  now: number;
}

/** Sends one email as the server would, with its settings. The check fails when the mail server does not take it. */
export async function sendTestMail(config: Config, dataDir: string, { id, to, now }: TestMail): Promise<Check> {
  const name = "test_email";
  const mailer = createMailer(config.mail, join(dataDir, "outbox"));
  const host = /@([^>\s]+)/.exec(config.mail.from)?.[1] ?? "localhost";
  try {
    await mailer.send({
      ...{
        id,
        to,
        from: senderOf(config),
        createdAt: now,
        host,
        unsubscribeUrl: null,
        calendar: null,
        document: null,
        html: null,
      },
      subject: "Test email of a playtest server",
      text: "The server can send emails. Somebody who operates it ran `playtest serve doctor --mail-to` with this address.\n",
    });
    const detail = mailer.delivers
      ? `${mailer.name} took an email to ${to} from ${config.mail.from}: look whether it arrived, and not among the spam`
      : `nothing was sent, because PLAYTEST_SMTP_URL is not set: the email is a file in ${join(dataDir, "outbox")}`;
    return { name, ok: true, ...(!mailer.delivers && { warning: true }), detail };
  } catch (error) {
    const help =
      "Compare PLAYTEST_SMTP_URL and PLAYTEST_MAIL_FROM with what your mail provider says: host, port, user, password, and addresses that you may send from.";
    return { name, ok: false, detail: `${mailer.name} did not take an email to ${to}: ${(error as Error).message}`, help };
  } finally {
    await mailer.close();
  }
}
