import type { Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { findRow, listRows, putRow, sendRows } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";

export type Event = Tables["events"];

/** A position in an account's event log. No event will be added before it: see `number`. */
export interface StreamPosition {
  id: string;
  seq: number;
}

/** The position before an account's first event. */
export const beginning: StreamPosition = { id: "0", seq: 0 };

/** Inserts the events. `rows` must not be empty. */
export const insert = (tx: Query, rows: readonly New<"events">[]) => sendRows(tx, "events", rows);

export const list = (q: Query, accountId: string, page: Page) => listRows(q, "events", page, { account_id: accountId });

/**
 * Assigns sequence numbers to the events of an account that have none yet. Transactions may commit in another order than their times
 * and ids suggest, so the reader of the log assigns the numbers after the commit. That way no event appears before a position that was
 * read already, and transactions that record events do not wait for each other.
 */
export async function number(tx: Query, accountId: string): Promise<void> {
  const counter = await findRow(tx, "event_counters", { account_id: accountId });
  const last = counter?.last_seq ?? 0;
  const added = await tx.run(
    `UPDATE events SET seq = ? + x.position
       FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY created_at, id) AS position FROM events WHERE account_id = ? AND seq IS NULL) x
      WHERE events.id = x.id`,
    last,
    accountId,
  );
  if (added === 0) return;
  await putRow(tx, "event_counters", { account_id: accountId, last_seq: last + added }, "account_id");
}

const marks = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** What happened, by the ids of the events. */
export async function dataOf(q: Query, ids: readonly string[]): Promise<Map<string, Pick<Event, "kind" | "data">>> {
  if (ids.length === 0) return new Map();
  const rows = await q.all<Pick<Event, "id" | "kind" | "data">>(
    `SELECT id, kind, data FROM events WHERE id IN (${marks(ids)})`,
    ...ids,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Those of these accounts that have events without a sequence number. */
export const unnumbered = async (q: Query, accountIds: readonly string[]) =>
  (
    await q.all<{ account_id: string }>(
      `SELECT DISTINCT account_id FROM events WHERE seq IS NULL AND account_id IN (${marks(accountIds)})`,
      ...accountIds,
    )
  ).map((row) => row.account_id);

/** The highest sequence number assigned in each of these accounts. */
export const lastSeqs = (q: Query, accountIds: readonly string[]) =>
  q.all<{ account_id: string; last_seq: number }>(
    `SELECT account_id, last_seq FROM event_counters WHERE account_id IN (${marks(accountIds)})`,
    ...accountIds,
  );

/** The position of an event. Undefined when the event is unknown, of another account, or not numbered yet. */
export const positionOf = (q: Query, accountId: string, id: string) =>
  q.one<StreamPosition>("SELECT id, seq FROM events WHERE id = ? AND account_id = ? AND seq IS NOT NULL", id, accountId);

export const lastPosition = (q: Query, accountId: string) =>
  q.one<StreamPosition>(
    "SELECT id, seq FROM events WHERE account_id = ? AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1",
    accountId,
  );

export const listAfter = (q: Query, accountId: string, seq: number, limit: number) =>
  q.all<Event & StreamPosition>(
    "SELECT * FROM events WHERE account_id = ? AND seq > ? ORDER BY seq LIMIT CAST(? AS INTEGER)",
    accountId,
    seq,
    limit,
  );
