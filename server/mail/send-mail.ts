import type { Deps } from "../app/deps.ts";
import { senderOf } from "../config/brand.ts";
import { type Job, RetryLater } from "../jobs/job.ts";
import { MailRefused } from "./mailer.ts";
import { bodiesOf, scheduleSummary } from "./queue.ts";
import type { MailRow } from "./store.ts";
import * as mails from "./store.ts";
import { hour, nextFullHour } from "./summary-times.ts";

const minute = 60_000;
const waits = [1, 5, 30, 120, 360].map((minutes) => minutes * minute);

/** Sends one queued email. After network errors and 4xx replies it is retried up to five times. A refusal by the mail server is final. */
export async function sendMail(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.mailId);
  // A sandbox keeps the token, because its outbox exists to be read, including the links.
  const removeSecret = deps.config.sandbox ? {} : { sealed: null };
  const mail = await deps.store.read((q) => mails.find(q, id));
  if (!mail || mail.sent_at !== null) return;
  if (mail.admitted_at === null && isCounted(mail) && !(await admit(deps, mail, job))) return;
  try {
    const { recipient: to, subject, created_at: createdAt } = mail;
    const { unsubscribe_url: unsubscribeUrl } = mail;
    await deps.mailer.send({ id, to, from: senderOf(deps.config), subject, ...bodiesOf(deps, mail), unsubscribeUrl, createdAt });
  } catch (error) {
    const wait = waits[job.attempts - 1];
    if (!(error instanceof MailRefused) && wait !== undefined) throw new RetryLater(deps.clock.now() + wait, String(error));
    deps.log.warn({ err: error, mail: id }, "an email was refused and will not be retried");
    await deps.store.write((tx) =>
      mails.update(tx, id, { failed_at: deps.clock.now(), error: String(error).slice(0, 500), ...removeSecret }),
    );
    return;
  }
  await deps.store.write(async (tx) => {
    await mails.update(tx, id, { sent_at: deps.clock.now(), ...removeSecret });
    await job.done(tx);
  });
}

/** Summaries are not counted: there is at most one an hour. */
const isCounted = (mail: MailRow): mail is MailRow & { user_id: string } => mail.user_id !== null && mail.entry !== null;

/** Counts an email against the limit of its person. False when the limit is reached: then the email waits for a summary. */
const admit = (deps: Deps, mail: MailRow & { user_id: string }, job: Job): Promise<boolean> =>
  deps.store.write(async (tx) => {
    const now = deps.clock.now();
    if ((await mails.countAdmitted(tx, mail.user_id, now - hour)) < deps.config.mail.perPersonPerHour) {
      await mails.update(tx, mail.id, { admitted_at: now });
      return true;
    }
    const at = nextFullHour(now);
    await mails.update(tx, mail.id, { collect_at: at });
    await scheduleSummary(deps, tx, mail.user_id, at);
    await job.done(tx);
    return false;
  });
