import type { MailState } from "../../src/contract/admin/mails.ts";
import { type Page, paged } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { findRow, listRows, sendRow, updateRow, updateWhere } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";

export type MailRow = Tables["mails"];

export const find = (q: Query, id: string) => findRow(q, "mails", { id });

type Later = "admitted_at" | "sent_at" | "failed_at" | "error" | "tries";

export const insert = (tx: Query, mail: New<"mails">) => sendRow(tx, "mails", mail);

export const update = (tx: Query, id: string, changes: Partial<Pick<MailRow, Later | "sealed" | "collect_at">>) =>
  updateRow(tx, "mails", id, changes);

/** Gives up an email that was not sent and whose link has ended, and forgets the link, so that nobody gets it or is asked to send it again. */
export const withdraw = (tx: Query, id: string, now: number) =>
  updateWhere(tx, "mails", { failed_at: now, error: null, sealed: null }, { id, sent_at: null });

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
  const only = state === undefined ? "" : `AND ${conditions[state]}`;
  return paged(q, page, "m").all<MailRow>(`SELECT m.* FROM mails m WHERE 1 = 1 ${only}`);
}

const conditions: Record<MailState, string> = {
  sent: "m.sent_at IS NOT NULL",
  failed: "m.failed_at IS NOT NULL AND m.error IS NOT NULL AND m.sent_at IS NULL",
  waiting: "m.sent_at IS NULL AND m.failed_at IS NULL",
};

/** Emails whose last try failed: how many were given up, how many are tried again, and to how many addresses. */
export const countUndelivered = async (q: Query) =>
  (await q.one<{ failed: number; waiting: number; recipients: number }>(
    `SELECT COUNT(failed_at) AS failed, COUNT(*) - COUNT(failed_at) AS waiting,
      COUNT(DISTINCT CASE WHEN failed_at IS NULL THEN recipient END) AS recipients
      FROM mails WHERE error IS NOT NULL AND sent_at IS NULL`,
  ))!;

/** The newest of those, or of those that were given up. */
export const newestUndelivered = (q: Query, only?: "failed") =>
  q.one<{ id: string; error: string }>(
    `SELECT id, error FROM mails WHERE error IS NOT NULL AND sent_at IS NULL ${only ? "AND failed_at IS NOT NULL " : ""}ORDER BY created_at DESC, id DESC LIMIT 1`,
  );

/** Notes whose account the emails to an address are, so that they are deleted with it after it has another address. */
export const nameOwner = (tx: Query, address: string, userId: string) =>
  tx.run("UPDATE mails SET user_id = ? WHERE LOWER(recipient) = ? AND user_id IS NULL", userId, address);

/** The emails that are sent by themselves. */
export const list = (q: Query, page: Page) => listRows(q, "mails", page, { collect_at: null });
