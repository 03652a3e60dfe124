import type { Deps } from "../app/deps.ts";
import type { Context, Tx } from "../app/tx.ts";
import { textOn } from "../lib/contrast.ts";
import { insert, type MailRow } from "./store.ts";
import type { Look } from "./style.ts";
import { builtInColor, type MailContent } from "./texts.ts";

/** The placeholder for a one-time token in the stored text. */
const secretMark = "[one-time token]";

/** A logo needs an address that mail programs can reach. */
function lookOf({ name, logo, color }: Deps["brand"], { baseUrl }: Deps["config"]): Look {
  const logoUrl = logo !== null && baseUrl.startsWith("https:") ? `${baseUrl}/assets/logo` : null;
  const shown = color ?? builtInColor;
  return { name, logoUrl, color: shown, ink: textOn(shown) };
}

/** The bodies to store, without the one-time token, so that nobody who reads the table or a backup can use the links. */
function sealed({ secrets, brand, config }: Context, id: string, content: MailContent) {
  const { text, html } = content.bodiesWith?.(lookOf(brand, config)) ?? content;
  const { secret } = content;
  if (secret === undefined) return { text_body: text, html_body: html, sealed: null };
  const hide = (body: string) => body.replaceAll(secret, secretMark);
  return { text_body: hide(text), html_body: hide(html), sealed: secrets.seal(secret, `mail ${id}`) };
}

/** The bodies to send, with the one-time token. */
export function bodiesOf({ secrets }: Context, mail: MailRow): { text: string; html: string | null } {
  const { text_body: text, html_body: html } = mail;
  if (mail.sealed === null) return { text, html };
  const secret = secrets.open(mail.sealed, `mail ${mail.id}`);
  const show = (body: string) => body.replaceAll(secretMark, secret);
  return { text: show(text), html: html && show(html) };
}

/** False for an email that lacks its one-time token, which earlier versions removed when they gave an email up. */
export const isComplete = ({ text_body: text, sealed }: MailRow): boolean => sealed !== null || !text.includes(secretMark);

/** The address that a deleted account has instead of its own: it reaches nobody. */
export const deletedAddress = (userId: string) => `deleted-${userId}@playtest.invalid`;

const isDeleted = (address: string) => address.startsWith("deleted-") && address.endsWith("@playtest.invalid");

/** What is stored with an email that a person can turn off. */
export type About = Pick<MailRow, "user_id" | "kind" | "unsubscribe_url" | "entry" | "collect_at">;

const security: About = { user_id: null, kind: null, unsubscribe_url: null, entry: null, collect_at: null };

/**
 * Queues an email in the transaction that causes it. A job sends it after the commit, or collects it into a summary. Returns its id; null
 * for an account that was deleted.
 */
export async function queueMail(tx: Tx, to: string, content: MailContent, about = security): Promise<string | null> {
  if (isDeleted(to)) return null;
  const now = tx.now;
  const id = tx.newId();
  insert(tx, {
    id,
    recipient: to,
    subject: content.subject,
    ...sealed(tx, id, content),
    calendar: content.calendar,
    document_id: content.documentId,
    ...about,
    created_at: now,
    expires_at: content.validMs === undefined ? null : now + content.validMs,
  });
  if (about.user_id !== null && about.collect_at !== null) await scheduleSummary(tx, about.user_id, about.collect_at);
  else await tx.scheduleNew([sending(id, now)]);
  return id;
}

/** The job that sends an email at `runAt` (ms). */
export const sending = (id: string, runAt: number) => ({ kind: "send-mail" as const, key: id, payload: { mailId: id }, runAt });

/** Schedules the email that collects those of a person that are due at `at` (ms). There is one job for each time. */
export const scheduleSummary = (tx: Tx, userId: string, at: number) =>
  tx.schedule({ kind: "send-summary", key: `${userId}:${at}`, payload: { userId }, runAt: at });
