import type { EventKind } from "../../src/contract/events/kinds.ts";
import type { MailMode } from "../../src/contract/events/mails.ts";
import type { Query } from "../database/port.ts";
import { findRow, putRow } from "../database/rows.ts";

/** Kinds that the person changed; all others are on. */
export const listSettings = (q: Query, userId: string) =>
  q.all<{ kind: EventKind; mail: MailMode }>("SELECT kind, mail FROM notification_settings WHERE user_id = ?", userId);

export const modeOf = async (q: Query, userId: string, kind: EventKind): Promise<MailMode> =>
  (await findRow(q, "notification_settings", { user_id: userId, kind }))?.mail ?? "on";

export async function setModes(
  tx: Query,
  userId: string,
  kinds: readonly EventKind[],
  mail: MailMode,
  now: number,
): Promise<void> {
  for (const kind of kinds)
    await putRow(tx, "notification_settings", { user_id: userId, kind, mail, updated_at: now }, "user_id", "kind");
}
