import { jobMoves } from "../../src/contract/states/index.ts";
import { sourcesOf, targetOf } from "../../src/contract/states/moves.ts";
import type { Page } from "../database/keyset.ts";
import type { Dialect, Query, WriteOptions } from "../database/port.ts";
import { findRow, listRows, updateWhere } from "../database/rows.ts";
import type { Tables } from "../database/schema/index.ts";

/** A job as those who run it see it. */
export type JobRow = Omit<Tables["jobs"], "state" | "lease_until" | "last_error" | "created_at">;

export interface NewJob {
  id: string;
  kind: string;
  key: string;
  payload: unknown;
  account?: string;
  /** The trace of the work that queues it, as `traceText` has it. */
  trace?: string | undefined;
  runAt: number;
  now: number;
}

/**
 * Queues a job once per key. A job that is already queued is moved to the earlier time, and a dead one is queued again. A job that is
 * early enough is not written: many transactions may queue the same job at once and should not conflict with each other. It may be running,
 * and does not end before they do (`Job.endUnless`).
 */
export async function add(tx: Query, job: NewJob): Promise<void> {
  const known = await find(tx, job.key);
  if (known?.state === "queued" && known.run_at <= job.runAt) return;
  if (known?.state === "dead") tx.send(`${requeueSql} WHERE unique_key = ? AND state = 'dead'`, job.key);
  insert(tx, [job]);
}

/** Queues jobs that most likely do not exist yet. Of one that does, only the time changes, to the earlier one. */
export function insert(tx: Query, added: readonly NewJob[]): void {
  const rows = added.map(() => "(?, ?, ?, ?, ?, ?, 0, 'queued', 0, ?, ?)").join(", ");
  tx.send(
    `INSERT INTO jobs (id, kind, unique_key, payload, account, run_at, attempts, state, lease_until, created_at, trace) VALUES ${rows}
     ON CONFLICT (unique_key) DO UPDATE SET run_at = CASE WHEN excluded.run_at < jobs.run_at THEN excluded.run_at ELSE jobs.run_at END`,
    ...added.flatMap(({ id, kind, key, payload, account, runAt, now, trace }) => [
      id,
      kind,
      key,
      JSON.stringify(payload),
      account ?? null,
      runAt,
      now,
      trace ?? null,
    ]),
  );
}

const find = (tx: Query, key: string) =>
  tx.held<Pick<Tables["jobs"], "run_at" | "state">>("SELECT run_at, state FROM jobs WHERE unique_key = ?", key);

/** When the next job is due that is of none of these kinds. */
export const nextRunAt = async (q: Query, except: readonly string[]) => {
  const others = except.length === 0 ? "" : ` AND kind NOT IN (${except.map(() => "?").join(", ")})`;
  return (
    (await q.one<{ at: number | null }>(`SELECT MIN(run_at) AS at FROM jobs WHERE state = 'queued'${others}`, ...except))?.at ??
    null
  );
};

/** Which of `kinds` have a job that is due at `now` (ms). Each is one look into an index, however many are due. */
export async function dueKinds(q: Query, kinds: readonly string[], now: number): Promise<string[]> {
  if (kinds.length === 0) return [];
  const rows = await q.all<{ kind: string }>(
    `SELECT column1 AS kind FROM (VALUES ${kinds.map(() => "(?)").join(", ")}) AS kinds
      WHERE EXISTS (SELECT 1 FROM jobs WHERE kind = column1 AND state = 'queued' AND run_at <= ?)`,
    ...kinds,
    now,
  );
  return rows.map(({ kind }) => kind);
}

/** A filter for jobs: only these kinds, of them only those of one account, or all except these kinds. */
export type Kinds = { only: readonly string[]; account?: string | null } | { except: readonly string[] };

/** The time (real ms) by which leases are measured: SQL and its values. */
export interface LeaseTime {
  sql: string;
  values: readonly number[];
}

/** The database's time when processes share it, else `real`, the time of this process. */
export const leaseTime = ({ time }: Dialect, real: number): LeaseTime =>
  time === undefined ? { sql: "CAST(? AS BIGINT)", values: [real] } : { sql: time, values: [] };

export interface Lease {
  token: string;
  /** Server time. */
  due: number;
  now: LeaseTime;
  leaseMs: number;
  count: number;
  kinds: Kinds;
  /** Whether jobs are meant that were left to other processes: none of a kind of which one is leased. */
  isLeft?: boolean;
}

/**
 * For writes of one job, or of the jobs that are leased: each is one UPDATE or DELETE that repeats in its condition what it decided by, the
 * lease. Of two that meet, the second waits for the first, sees its lease, and changes nothing.
 */
export const byLease: WriteOptions = { isolation: "rows" };

/** Leases up to `count` due jobs to the holder of `token`. Jobs whose lease has expired can be leased again. */
export function claim(tx: Query, lease: Lease): Promise<JobRow[]> {
  const { now } = lease;
  const [test, names] = "only" in lease.kinds ? ["IN", lease.kinds.only] : ["NOT IN", lease.kinds.except];
  const account = "only" in lease.kinds ? lease.kinds.account : undefined;
  const filter =
    (names.length > 0 ? `AND kind ${test} (${names.map(() => "?").join(", ")}) ` : "") +
    (account === undefined ? "" : account === null ? "AND account IS NULL " : "AND account = ? ") +
    (lease.isLeft ? `AND NOT EXISTS (SELECT 1 FROM jobs l WHERE l.kind = jobs.kind AND l.lease_until > ${now.sql}) ` : "");
  // The sign keeps SQLite from scanning all due jobs by the index on run_at, which is slow when many are of other kinds.
  const first = "only" in lease.kinds && names.length > 1 ? "+run_at" : "run_at";
  return tx.all<JobRow>(
    `UPDATE jobs SET lease_until = ${now.sql} + CAST(? AS INTEGER), lease_token = ?, attempts = attempts + 1
      WHERE id IN (SELECT id FROM jobs WHERE state = 'queued' AND run_at <= ? AND lease_until <= ${now.sql} ${filter}ORDER BY ${first}, id LIMIT CAST(? AS INTEGER)) AND lease_until <= ${now.sql}
      RETURNING id, kind, unique_key, payload, account, run_at, attempts, failures, lease_token, trace`,
    ...now.values,
    lease.leaseMs,
    lease.token,
    lease.due,
    ...now.values,
    ...names,
    ...(account === undefined || account === null ? [] : [account]),
    ...(lease.isLeft ? now.values : []),
    lease.count,
    ...now.values,
  );
}

/** The accounts that have due jobs of these kinds which nobody runs, the one that waits longest first. */
export async function waitingAccounts(q: Query, { now, due }: Pick<Lease, "now" | "due">, kinds: readonly string[]) {
  const rows = await q.all<{ account: string | null }>(
    `SELECT account FROM jobs WHERE state = 'queued' AND run_at <= ? AND lease_until <= ${now.sql} AND kind IN (${kinds.map(() => "?").join(", ")})
      GROUP BY account ORDER BY MIN(run_at), MIN(id)`,
    due,
    ...now.values,
    ...kinds,
  );
  return rows.map(({ account }) => account);
}

/** Ends every lease. Only for databases that no other process uses. */
export const releaseAll = (tx: Query) => tx.run("UPDATE jobs SET lease_until = 0, lease_token = NULL WHERE lease_until > 0");

/** Ends the leases of a holder that does not know which jobs it has. */
export const release = (tx: Query, token: string) =>
  updateWhere(tx, "jobs", { lease_until: 0, lease_token: null }, { lease_token: token });

/** Zero rows when the lease was lost to another process. */
export const extend = (tx: Query, job: JobRow, now: LeaseTime, leaseMs: number) =>
  tx.run(
    `UPDATE jobs SET lease_until = ${now.sql} + CAST(? AS INTEGER) WHERE id = ? AND lease_token = ?`,
    ...now.values,
    leaseMs,
    job.id,
    job.lease_token,
  );

/** Removes a completed job. Zero rows when the lease was lost to another process. */
export const finish = (tx: Query, job: JobRow) =>
  tx.run("DELETE FROM jobs WHERE id = ? AND lease_token = ?", job.id, job.lease_token);

/** Queues a job again that failed, or (with `failures` 0) asked to run later. */
export const retry = (tx: Query, job: JobRow, runAt: number, error: string, failures: number) =>
  updateWhere(
    tx,
    "jobs",
    { run_at: runAt, lease_until: 0, lease_token: null, last_error: error, failures },
    { id: job.id, lease_token: job.lease_token },
  );

/** Queues a job again that completed one of its runs: the next is no part of its trace. Zero rows when the lease was lost. */
export const reschedule = (tx: Query, job: JobRow, runAt: number) =>
  updateWhere(
    tx,
    "jobs",
    { run_at: runAt, attempts: 0, failures: 0, lease_until: 0, lease_token: null, trace: null },
    { id: job.id, lease_token: job.lease_token },
  );

/** From now on, no write that found this job by `add` is still to be committed, and those that come wait for this one. */
export const lockForEnd = (tx: Query, job: JobRow) =>
  tx.alone("SELECT id FROM jobs WHERE id = ? AND lease_token = ?", job.id, job.lease_token);

/** Marks a job dead: it runs only if it is queued again. */
export const markDead = (tx: Query, job: JobRow, error: string) =>
  updateWhere(
    tx,
    "jobs",
    { state: targetOf(jobMoves, "giveUp"), last_error: error },
    { id: job.id, lease_token: job.lease_token, state: sourcesOf(jobMoves, "giveUp") },
  );

const requeueSql = `UPDATE jobs SET state = '${targetOf(jobMoves, "requeue")}', attempts = 0, failures = 0, lease_until = 0, lease_token = NULL`;

export type DeadJobRow = Tables["jobs"];

/** The dead jobs one by one, newest first. */
export const listDead = (q: Query, page: Page) => listRows(q, "jobs", page, { state: "dead" });

export const findById = (q: Query, id: string) => findRow(q, "jobs", { id });

/** Queues a dead job again, due at `now` (ms). */
export const requeue = (tx: Query, id: string, now: number) =>
  tx.run(`${requeueSql}, run_at = ? WHERE id = ? AND state = 'dead'`, now, id);

/** Queues every dead job again. Returns how many. */
export const requeueDead = (tx: Query) => tx.run(`${requeueSql} WHERE state = 'dead'`);

/** The dead jobs by kind, with the last error of one of them. */
export const deadJobs = (q: Query) =>
  q.all<{ kind: string; count: number; last_error: string }>(
    "SELECT kind, COUNT(*) AS count, MAX(last_error) AS last_error FROM jobs WHERE state = 'dead' GROUP BY kind ORDER BY kind",
  );

/** The jobs of a kind that wait, each with why it was not done at its last try. */
export const queuedErrors = (q: Query, kind: string) =>
  q.all<{ last_error: string | null }>("SELECT last_error FROM jobs WHERE state = 'queued' AND kind = ? ORDER BY id", kind);
