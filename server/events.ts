import type { EventKind } from "../src/contract/events.ts";
import type { Deps } from "./deps.ts";
import { type NoticeContext, noticeOf } from "./domain/notices.ts";
import type { Query } from "./store/db.ts";
import * as events from "./store/events.ts";
import * as notifications from "./store/notifications.ts";

export interface Occurrence {
  kind: EventKind;
  /** What the event's `data` says (decisions §10). */
  data: Record<string, unknown>;
  notice: NoticeContext;
}

export interface Recipient {
  id: string;
  role: "game_owner" | "playtester" | "admin";
}

/** Records an event for each account it concerns, in the transaction that causes it: the log row and the notification. */
export async function emit(deps: Deps, tx: Query, recipients: readonly Recipient[], occurrence: Occurrence): Promise<void> {
  for (const recipient of recipients) await emitTo(deps, tx, recipient, occurrence);
}

/** The same for one account; what was recorded. */
export async function emitTo(deps: Deps, tx: Query, { id, role }: Recipient, occurrence: Occurrence): Promise<events.EventRow> {
  const now = deps.clock.now();
  const event = {
    id: deps.newId(),
    account_id: id,
    kind: occurrence.kind,
    data: JSON.stringify(occurrence.data),
    created_at: now,
  };
  await events.insert(tx, event);
  const { title, body } = noticeOf(occurrence.kind, role, occurrence.notice);
  const notification = {
    id: deps.newId(),
    user_id: id,
    event_id: event.id,
    type: occurrence.kind,
    title,
    body,
    read_at: null,
    created_at: now,
  };
  await notifications.insert(tx, notification);
  return event;
}
