import type { EventKind } from "../../src/contract/events.ts";
import type { Query } from "./db.ts";
import { insertRow } from "./rows.ts";

export interface EventRow {
  id: string;
  account_id: string;
  kind: EventKind;
  data: string;
  /** Counts an account's events in the order of their commits: who has read up to one has missed none before it. */
  seq: number;
  created_at: number;
}

/** An event apart from its place in the log. */
export type Event = Omit<EventRow, "seq">;

/** Adds the event to its account's log. Two transactions that do this for one account take turns. */
export async function append(tx: Query, event: Event): Promise<void> {
  const counter = await tx.one<{ last_seq: number }>(
    `INSERT INTO event_counters (account_id, last_seq) VALUES (?, 1)
     ON CONFLICT (account_id) DO UPDATE SET last_seq = event_counters.last_seq + 1 RETURNING last_seq`,
    event.account_id,
  );
  await insertRow(tx, "events", { ...event, seq: counter!.last_seq });
}

export const find = (q: Query, accountId: string, id: string) =>
  q.one<EventRow>("SELECT * FROM events WHERE id = ? AND account_id = ?", id, accountId);

export const listNewest = (q: Query, accountId: string, before: number | undefined, limit: number) =>
  q.all<EventRow>(
    "SELECT * FROM events WHERE account_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
    accountId,
    before ?? Number.MAX_SAFE_INTEGER,
    limit,
  );

export const listAfter = (q: Query, accountId: string, seq: number, limit: number) =>
  q.all<EventRow>("SELECT * FROM events WHERE account_id = ? AND seq > ? ORDER BY seq LIMIT ?", accountId, seq, limit);

export const latest = (q: Query, accountId: string) =>
  q.one<EventRow>("SELECT * FROM events WHERE account_id = ? ORDER BY seq DESC LIMIT 1", accountId);

/** The number of the latest event of each of these accounts that has one. */
export const lastSeqs = (q: Query, accountIds: readonly string[]) =>
  q.all<{ account_id: string; last_seq: number }>(
    `SELECT account_id, last_seq FROM event_counters WHERE account_id IN (${accountIds.map(() => "?").join(", ")})`,
    ...accountIds,
  );

/** A place in an account's log. */
export type Place = Pick<EventRow, "id" | "seq">;

/** Before an account's first event. */
export const beginning: Place = { id: "0", seq: 0 };
