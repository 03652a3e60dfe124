import type { EventKind } from "../../src/contract/events/kinds.ts";
import { keyset, type Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { insertRows } from "../database/rows.ts";

export interface Event {
  id: string;
  account_id: string;
  kind: EventKind;
  data: string;
  created_at: number;
}

/** A place in an account's log: who has read up to `seq` has missed nothing before it. */
export interface StreamPosition {
  id: string;
  seq: number;
}

/** Before an account's first event. */
export const beginning: StreamPosition = { id: "0", seq: 0 };

/** At least one. */
export const insert = (tx: Query, rows: readonly Event[]) => insertRows(tx, "events", rows);

export function list(q: Query, accountId: string, page: Page) {
  const { sql, values } = keyset(page, "e");
  return q.all<Event>(`SELECT e.* FROM events e WHERE e.account_id = ? ${sql}`, accountId, ...values);
}

/**
 * Numbers the events of an account that have no number yet. Transactions may commit in another order than their times
 * and ids say; numbers are given after the commit, by who reads the log, so that nothing ever appears behind a reader, and
 * those who write events do not wait for each other.
 */
export async function number(tx: Query, accountId: string): Promise<void> {
  const counter = await tx.one<{ last_seq: number }>("SELECT last_seq FROM event_counters WHERE account_id = ?", accountId);
  const last = counter?.last_seq ?? 0;
  const added = await tx.run(
    `UPDATE events SET seq = ? + x.place
       FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY created_at, id) AS place FROM events WHERE account_id = ? AND seq IS NULL) x
      WHERE events.id = x.id`,
    last,
    accountId,
  );
  if (added === 0) return;
  await tx.run(
    `INSERT INTO event_counters (account_id, last_seq) VALUES (?, ?)
     ON CONFLICT (account_id) DO UPDATE SET last_seq = excluded.last_seq`,
    accountId,
    last + added,
  );
}

const marks = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** Which of these accounts have events without a number. */
export const unnumbered = async (q: Query, accountIds: readonly string[]) =>
  (
    await q.all<{ account_id: string }>(
      `SELECT DISTINCT account_id FROM events WHERE seq IS NULL AND account_id IN (${marks(accountIds)})`,
      ...accountIds,
    )
  ).map((row) => row.account_id);

/** The highest number given in each of these accounts. */
export const lastSeqs = (q: Query, accountIds: readonly string[]) =>
  q.all<{ account_id: string; last_seq: number }>(
    `SELECT account_id, last_seq FROM event_counters WHERE account_id IN (${marks(accountIds)})`,
    ...accountIds,
  );

/** Undefined for an unknown event, one of another account, and one without a number. */
export const placeOf = (q: Query, accountId: string, id: string) =>
  q.one<StreamPosition>("SELECT id, seq FROM events WHERE id = ? AND account_id = ? AND seq IS NOT NULL", id, accountId);

export const lastPlace = (q: Query, accountId: string) =>
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
