import type { MailState } from "../../src/contract/admin/mails.ts";
import { keyset, type Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { sendRow, updateRow } from "../database/rows.ts";

export interface MailRow {
  id: string;
  recipient: string;
  subject: string;
  text_body: string;
  html_body: string | null;
  /** The one-time token, encrypted. The text has `secretMark` in its place. Null when there is none, and once the email was sent. */
  sealed: string | null;
  /** The person and the event kind; null for emails about the security of an account, which cannot be turned off. */
  user_id: string | null;
  kind: string | null;
  unsubscribe_url: string | null;
  /** The email as an entry of a summary: a `Letter` as JSON. */
  entry: string | null;
  /** When a summary collects it; null for an email that is sent by itself. */
  collect_at: number | null;
  /** When it was counted against the limit of the person. */
  admitted_at: number | null;
  created_at: number;
  /** When it was sent, by itself or in a summary. */
  sent_at: number | null;
  /** When it was given up. */
  failed_at: number | null;
  /** Why the last try failed; null once it was sent. */
  error: string | null;
  /** How many tries failed since it was queued. */
  tries: number;
  /** Until when the link in it works; null without one. */
  expires_at: number | null;
}

export const find = (q: Query, id: string) => q.one<MailRow>("SELECT * FROM mails WHERE id = ?", id);

type Later = "admitted_at" | "sent_at" | "failed_at" | "error" | "tries";

export const insert = (tx: Query, mail: Omit<MailRow, Later>) => sendRow(tx, "mails", mail);

export const update = (tx: Query, id: string, changes: Partial<Pick<MailRow, Later | "sealed" | "collect_at">>) =>
  updateRow(tx, "mails", id, changes);

/** Gives up an email that was not sent and whose link has ended, and forgets the link, so that nobody gets it or is asked to send it again. */
export const withdraw = (tx: Query, id: string, now: number) =>
  tx.run("UPDATE mails SET failed_at = ?, error = NULL, sealed = NULL WHERE id = ? AND sent_at IS NULL", now, id);

/** How many emails of a person were counted since a time (ms). */
export const countAdmitted = async (q: Query, userId: string, since: number) =>
  (await q.one<{ n: number }>("SELECT COUNT(*) AS n FROM mails WHERE user_id = ? AND admitted_at > ?", userId, since))!.n;

/** The emails of a person that a summary should contain by now, oldest first. */
export const listToCollect = (q: Query, userId: string, now: number) =>
  q.all<MailRow>(
    "SELECT * FROM mails WHERE user_id = ? AND collect_at <= ? AND sent_at IS NULL ORDER BY created_at, id",
    userId,
    now,
  );

/** Marks the emails that a summary contains as sent. */
export const markCollected = (tx: Query, userId: string, now: number) =>
  tx.run("UPDATE mails SET sent_at = ? WHERE user_id = ? AND collect_at <= ? AND sent_at IS NULL", now, userId, now);

/** Emails of one state, or all, also those that a summary collects. */
export function listByState(q: Query, state: MailState | undefined, page: Page) {
  const { sql, values } = keyset(page, "m");
  const only = state === undefined ? "" : `AND ${conditions[state]}`;
  return q.all<MailRow>(`SELECT m.* FROM mails m WHERE 1 = 1 ${only} ${sql}`, ...values);
}

const conditions: Record<MailState, string> = {
  sent: "m.sent_at IS NOT NULL",
  failed: "m.failed_at IS NOT NULL AND m.error IS NOT NULL AND m.sent_at IS NULL",
  waiting: "m.sent_at IS NULL AND m.failed_at IS NULL",
};

/** Emails whose last try failed: how many were given up, how many are tried again, and the newest reason. */
export async function undelivered(
  q: Query,
): Promise<{ failed: number; waiting: number; error: string | null; firstFailed: string | null }> {
  const rows = await q.all<{ id: string; failed_at: number | null; error: string }>(
    "SELECT id, failed_at, error FROM mails WHERE error IS NOT NULL AND sent_at IS NULL ORDER BY created_at DESC",
  );
  const failed = rows.filter(({ failed_at }) => failed_at !== null);
  return {
    failed: failed.length,
    waiting: rows.length - failed.length,
    error: rows[0]?.error ?? null,
    firstFailed: failed[0]?.id ?? null,
  };
}

/** The emails that are sent by themselves. */
export function list(q: Query, page: Page) {
  const { sql, values } = keyset(page, "m");
  return q.all<MailRow>(`SELECT m.* FROM mails m WHERE m.collect_at IS NULL ${sql}`, ...values);
}
