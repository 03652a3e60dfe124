import { initialMode, type MailKind, type MailMode } from "../../src/contract/events/mails.ts";
import type { Query } from "../database/port.ts";
import { findRow, findRows, putRow } from "../database/rows.ts";

/** What happens with the emails about each of these kinds. */
export async function modesOf<Kind extends MailKind>(q: Query, userId: string, kinds: readonly Kind[]) {
  const rows = await findRows(q, "notification_settings", { user_id: userId }, "kind");
  const chosen = new Map<MailKind, MailMode>(rows.map(({ kind, mail }) => [kind, mail]));
  return kinds.map((kind) => ({ kind, mail: chosen.get(kind) ?? initialMode(kind) }));
}

/** What the person chose for a kind, and when. Undefined if nothing. */
export const findSetting = (q: Query, userId: string, kind: MailKind) =>
  findRow(q, "notification_settings", { user_id: userId, kind });

export const modeOf = async (q: Query, userId: string, kind: MailKind): Promise<MailMode> =>
  (await findSetting(q, userId, kind))?.mail ?? initialMode(kind);

export const setMode = (tx: Query, userId: string, kind: MailKind, mail: MailMode, now: number) =>
  putRow(tx, "notification_settings", { user_id: userId, kind, mail, updated_at: now }, "user_id", "kind");
