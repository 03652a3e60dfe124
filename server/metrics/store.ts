import type { Query } from "../database/port.ts";
import type { LeaseTime } from "../jobs/store.ts";

/** What metrics count in the database. Each is a look into an index, or is read only once a minute. */

/**
 * The jobs that wait or run, by kind: how many, how many of them are due at `now` (ms), and since when the first of those is that does not
 * run at `real`.
 */
export const jobsByKind = (q: Query, now: number, real: LeaseTime) =>
  q.all<{ kind: string; queued: number; due: number; first_due: number | null }>(
    `SELECT kind, COUNT(*) AS queued, COUNT(CASE WHEN run_at <= ? THEN 1 END) AS due,
      MIN(CASE WHEN run_at <= ? AND lease_until <= ${real.sql} THEN run_at END) AS first_due
      FROM jobs WHERE state = 'queued' GROUP BY kind`,
    now,
    now,
    ...real.values,
  );

/** Deliveries that did not reach their webhook yet, by state. */
export const waitingDeliveries = (q: Query) =>
  q.all<{ state: string; count: number }>(
    "SELECT state, COUNT(*) AS count FROM webhook_deliveries WHERE state IN ('pending', 'paused', 'held') GROUP BY state",
  );

/** Uploads that are not complete, and how many bytes they will have. */
export const openUploads = async (q: Query) =>
  (await q.one<{ count: number; bytes: number }>(
    "SELECT COUNT(*) AS count, COALESCE(SUM(size), 0) AS bytes FROM uploads WHERE status = 'open'",
  ))!;

/** The size of the stored files, in bytes. */
export const storedBytes = async (q: Query) =>
  (await q.one<{ builds: number; videos: number }>(
    `SELECT (SELECT COALESCE(SUM(size), 0) FROM (SELECT blob_key, MAX(size) AS size FROM builds WHERE blob_key IS NOT NULL GROUP BY blob_key) f) AS builds,
      (SELECT COALESCE(SUM(video_file_size), 0) FROM submissions) AS videos`,
  ))!;

/** Cents of crypto payments that could not be matched to an order, which an operator has to decide. */
export const suspenseCents = async (q: Query) =>
  (await q.one<{ cents: number }>(
    "SELECT COALESCE(-SUM(balance), 0) AS cents FROM ledger_accounts WHERE id LIKE 'liab:suspense:%'",
  ))!.cents;
