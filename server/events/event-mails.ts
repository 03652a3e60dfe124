import type { Role } from "../../src/contract/endpoint.ts";
import { isAskedFor, type MailedKind, type MailMode, mailedTopics } from "../../src/contract/events/mails.ts";
import * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { Context, Tx } from "../app/tx.ts";
import type { Job } from "../jobs/job.ts";
import { queueMail } from "../mail/queue.ts";
import { reachesNobody } from "../mail/rules.ts";
import * as mails from "../mail/store.ts";
import { canWait, nextDigest } from "../mail/summary-times.ts";
import { type Action, compose, type Letter, type ZonedLetter } from "../mail/texts.ts";
import { modeOf } from "./settings-store.ts";
import { settingsPage, unsubscribeUrl } from "./unsubscribe.ts";

/** Emails about events, which each person can turn off by kind or get once a day. */
type Reader = Pick<users.UserRow, "id" | "email" | "role" | "display_name" | "time_zone" | "email_verified_at" | "deleted_at">;

/**
 * The server's own accounts have addresses that reach nobody, but in a sandbox people read what its accounts would get. Whether an unverified
 * address belongs to the account is not known.
 */
export const canReceive = (
  { config }: Pick<Context, "config">,
  { email, email_verified_at, deleted_at }: Pick<Reader, "email" | "email_verified_at" | "deleted_at">,
) => email_verified_at !== null && deleted_at === null && (config.sandbox || !reachesNobody(email));

/** Queues an email about an event, or for the daily email, as the reader chose, unless that comes too late to act on it. */
export async function mailAbout(
  tx: Tx,
  reader: Reader | undefined,
  kind: MailedKind,
  told: ZonedLetter,
  known?: MailMode,
): Promise<void> {
  if (!reader || !canReceive(tx, reader)) return;
  const mode = known ?? (await modeOf(tx, reader.id, kind));
  if (mode === "off") return;
  const letter = inZone(told, reader);
  const { calendar, document, ...entry } = letter;
  const paragraphs = [...letter.paragraphs, ...(document ? [document.note] : []), ...(calendar ? [calendarNote] : [])];
  const attached = { ...letter, ...(document && { documentId: document.id }), paragraphs };
  const content = compose({ ...attached, to: reader.display_name, footer: footerOf(tx, reader, [kind]) });
  const digestAt = nextDigest(tx.now, tx.config.mail.digestHour);
  await queueMail(tx, reader.email, content, {
    user_id: reader.id,
    kind,
    unsubscribe_url: unsubscribeUrl(tx, reader.id, [kind]),
    entry: JSON.stringify(entry),
    collect_at: mode === "digest" && canWait(letter, digestAt) ? digestAt : null,
  });
}

const calendarNote = "The attached calendar file has the time of the playtest.";

/** The email in its reader's time zone. */
const inZone = (told: ZonedLetter, { time_zone: zone }: Pick<Reader, "time_zone">): Letter =>
  typeof told === "function" ? told(zone) : told;

/** An email that lists others. */
export type Listing = Omit<Letter, "action"> & { entries: readonly Letter[] };

/** Queues an email that lists what is new. No summary collects it, and it does not count as one of many. */
export async function mailListing(
  tx: Tx,
  reader: Reader,
  kinds: readonly MailedKind[],
  listing: Listing,
  kind: string = kinds[0]!,
): Promise<void> {
  const content = compose({ ...listing, to: reader.display_name, footer: footerOf(tx, reader, kinds) });
  const about = { user_id: reader.id, kind, unsubscribe_url: unsubscribeUrl(tx, reader.id, kinds) };
  await queueMail(tx, reader.email, content, { ...about, entry: null, collect_at: null });
}

/** Queues an email that cannot be turned off, because it asks the reader for something. */
export async function mailTask(tx: Tx, userId: string, letter: Letter): Promise<void> {
  const reader = await users.find(tx, userId);
  if (reader && canReceive(tx, reader)) await queueMail(tx, reader.email, compose({ ...letter, to: reader.display_name }));
}

/** Like `mailAbout`, to an account of which only the id is known. */
export async function mailUserAbout(tx: Tx, userId: string, kind: MailedKind, letter: ZonedLetter): Promise<void> {
  const [reader, mode] = await Promise.all([users.find(tx, userId), modeOf(tx, userId, kind)]);
  await mailAbout(tx, reader, kind, letter, mode);
}

function footerOf(context: Context, { id, role }: Reader, kinds: readonly MailedKind[]) {
  const topics = kinds.map((kind) => `“${topicOf(kind)}”`).join(", ");
  return {
    why: `You get this email because of your setting${kinds.length > 1 ? "s" : ""} for ${topics}.`,
    off: { label: offLabel(kinds), url: unsubscribeUrl(context, id, kinds) },
    all: settingsOf(context, role),
  };
}

/** A newer version that runs beside this one during an upgrade collects emails of further kinds. */
const topicOf = (kind: MailedKind): string => (mailedTopics as Partial<Record<MailedKind, string>>)[kind] ?? kind;

const offLabel = (kinds: readonly MailedKind[]) =>
  kinds.every(isAskedFor) ? "Turn these emails off" : "Turn these emails off, or get one email a day";

function settingsOf({ config }: Context, role: Role): Action | null {
  const page = settingsPage(role);
  return page === null ? null : { label: "All email settings", url: config.baseUrl + page };
}

export const summaryLetter = ({ entries }: Pick<Listing, "entries">): Listing => ({
  subject: entries.length === 1 ? entries[0]!.subject : `${entries.length} notifications in one email`,
  preview: entries.map(({ subject }) => subject).join(" · "),
  paragraphs: [
    "This email collects notifications, because you chose one email a day for them or because there were many in a short time.",
  ],
  entries,
});

/** Sends what was collected for a person as one email, without what only asks for something that can no longer be done. */
export const sendSummary = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    await job.done(tx);
    const reader = await users.find(tx, String(job.payload.userId));
    const now = tx.now;
    const collected = reader && canReceive(tx, reader) ? await mails.listToCollect(tx, reader.id, now) : [];
    if (!reader || collected.length === 0) return;
    await mails.markCollected(tx, reader.id, now);
    const read = collected.map(({ kind, entry }) => ({ kind: kind as MailedKind, letter: JSON.parse(entry!) as Letter }));
    const isOver = ({ onlyAsks, usefulUntil = now }: Letter) => onlyAsks === true && usefulUntil <= now;
    const listed = read.filter(({ letter }) => !isOver(letter));
    if (listed.length === 0) return;
    const kinds = [...new Set(listed.map(({ kind }) => kind))];
    const entries = listed.map(({ letter }) => letter);
    await mailListing(tx, reader, kinds, summaryLetter({ entries }), "summary");
  });
