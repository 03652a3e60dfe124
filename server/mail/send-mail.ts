import type { Deps } from "../app/deps.ts";
import { senderOf } from "../config/brand.ts";
import type { Job } from "../jobs/job.ts";
import { type Mail, MailRefused } from "./mailer.ts";
import { bodiesOf, scheduleSummary } from "./queue.ts";
import { nextTry, reachesNobody } from "./rules.ts";
import type { MailRow } from "./store.ts";
import * as mails from "./store.ts";
import { canWait, hour, nextFullHour } from "./summary-times.ts";
import type { Letter } from "./texts.ts";

const outage = "sending emails";

/** Sends one queued email. It is tried for four days unless the mail server refuses its mailbox or contents, or its link has ended. */
export async function sendMail(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.mailId);
  const mail = await deps.store.read((q) => mails.find(q, id));
  if (!mail || mail.sent_at !== null || mail.failed_at !== null) return;
  if (mail.admitted_at === null && isCounted(mail) && !(await admit(deps, mail, job))) return;
  try {
    if (mail.expires_at !== null && mail.expires_at <= deps.clock.now())
      throw new MailRefused("The link in the email has expired.");
    if (!isOnlyRead(deps, mail)) {
      await deps.mailer.send(await addressed(deps, mail));
      deps.outages.worked(outage);
    }
  } catch (error) {
    return await recordFailure(deps, job, mail, error);
  }
  // A sandbox keeps the token, because its outbox exists to be read, including the links.
  const removeSecret = deps.config.sandbox ? {} : { sealed: null };
  await deps.store.write(async (tx) => {
    await mails.update(tx, id, { sent_at: tx.now, error: null, ...removeSecret });
    await job.done(tx);
  });
}

/** What the accounts of a sandbox would get is read in the sandbox: a mail server would refuse their addresses. */
const isOnlyRead = ({ config, mailer }: Deps, { recipient }: MailRow): boolean =>
  config.sandbox && mailer.delivers && reachesNobody(recipient);

async function addressed(deps: Deps, mail: MailRow): Promise<Mail> {
  const { id, recipient: to, subject, calendar, created_at: createdAt, unsubscribe_url: unsubscribeUrl } = mail;
  const host = new URL(deps.config.baseUrl).hostname;
  const document = mail.document_id === null ? null : await deps.mailedDocument(deps, mail.document_id);
  const about = { id, to, from: senderOf(deps.config), subject, unsubscribeUrl, createdAt, host };
  return { ...about, ...bodiesOf(deps, mail), calendar, document };
}

/** Plans the next try, or gives the email up. It keeps its token, so that an operator can have it sent again. */
async function recordFailure(deps: Deps, job: Job, mail: MailRow, error: unknown): Promise<void> {
  const now = deps.clock.now();
  const tries = mail.tries + 1;
  const reason = error instanceof Error ? error.message : String(error);
  const next = error instanceof MailRefused ? undefined : nextTry({ tries, now, expiresAt: mail.expires_at });
  if (next === undefined) deps.log.warn({ err: error, mail: mail.id }, "an email was refused and will not be retried");
  else deps.outages.failed(outage, reason);
  await deps.store.write(async (tx) => {
    const given = next === undefined ? { failed_at: now } : {};
    await mails.update(tx, mail.id, { tries, error: reason.slice(0, 500), ...given });
    await (next === undefined ? job.done(tx) : job.reschedule(tx, next));
  });
}

type Counted = MailRow & { user_id: string; entry: string };

/** Summaries are not counted: there is at most one an hour. */
const isCounted = (mail: MailRow): mail is Counted => mail.user_id !== null && mail.entry !== null;

/**
 * Counts an email against the limit of its person. False when the limit is reached: then the email waits for a summary, unless that would
 * come too late.
 */
const admit = (deps: Deps, mail: Counted, job: Job): Promise<boolean> =>
  deps.store.write(async (tx) => {
    const now = tx.now;
    const at = nextFullHour(now);
    const isUrgent = !canWait(JSON.parse(mail.entry) as Letter, at);
    if (isUrgent || (await mails.countAdmitted(tx, mail.user_id, now - hour)) < deps.config.mail.perPersonPerHour) {
      await mails.update(tx, mail.id, { admitted_at: now });
      return true;
    }
    await mails.update(tx, mail.id, { collect_at: at });
    await scheduleSummary(tx, mail.user_id, at);
    await job.done(tx);
    return false;
  });
