import type { MailState } from "../../src/contract/admin/mails.ts";
import type { Handlers } from "../http/call.ts";
import { conflict, notFound } from "../lib/api-error.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import { isComplete, sending } from "../mail/queue.ts";
import * as mails from "../mail/store.ts";

const stateOf = ({ sent_at, failed_at }: mails.MailRow): MailState =>
  sent_at !== null ? "sent" : failed_at !== null ? "failed" : "waiting";

const mailView = (row: mails.MailRow) => ({
  id: row.id,
  to: row.recipient,
  subject: row.subject,
  state: stateOf(row),
  tries: row.tries,
  error: row.error,
  createdAt: iso(row.created_at),
  sentAt: isoOrNull(row.sent_at),
  failedAt: isoOrNull(row.failed_at),
  expiresAt: isoOrNull(row.expires_at),
});

/** The emails of the server, without their texts: these hold links that sign people in. */
export const mailHandlers = {
  async listMails(call) {
    const page = call.page();
    const rows = await call.read((q) => mails.listByState(q, call.query.state, page));
    return call.listed(page, rows, (items) => ({ mails: items.map(mailView) }));
  },

  retryMail: (call) =>
    call.commit(async (tx) => {
      const now = tx.now;
      const mail = await mails.find(tx, call.params.id);
      if (!mail) throw notFound();
      if (mail.sent_at !== null) throw conflict("The email was already sent. Nothing was sent again.");
      if (mail.collect_at !== null)
        throw conflict("The email will be part of a summary that its recipient gets. Nothing was changed.");
      if (!isComplete(mail) || (mail.expires_at !== null && mail.expires_at <= now))
        throw conflict(
          "The link in this email has expired. Nothing was sent. Its recipient can ask for a new one, or be invited again.",
        );
      await mails.update(tx, mail.id, { failed_at: null, tries: 0 });
      await tx.schedule(sending(mail.id, now));
      return { mail: mailView((await mails.find(tx, mail.id))!) };
    }),
} satisfies Partial<Handlers>;
