import * as backups from "../admin/backups-store.ts";
import type { Deps } from "../app/deps.ts";
import * as jobs from "../jobs/store.ts";
import { freeBytes } from "../lib/free-space.ts";
import * as mails from "../mail/store.ts";
import type { Gauge } from "./metrics.ts";
import * as store from "./store.ts";

const storedForMs = 60_000;

/** Reads what a server has to do and to store. The size of the stored files is read once a minute, because it looks at each of them. */
export function createGauges(deps: Deps): () => Promise<Gauge[]> {
  let stored: { at: number; bytes: Promise<{ builds: number; videos: number }> } | undefined;

  function storedBytes() {
    const at = deps.clock.real();
    if (!stored || at - stored.at >= storedForMs) stored = { at, bytes: deps.store.read(store.storedBytes) };
    return stored.bytes.catch((error: unknown) => {
      stored = undefined;
      throw error;
    });
  }

  return async () => {
    const now = deps.clock.now();
    const read = deps.store.read(async (q) => ({
      waiting: await store.jobsByKind(q, now, jobs.leaseTime(deps.store.dialect, deps.clock.real())),
      dead: await jobs.deadJobs(q),
      deliveries: await store.waitingDeliveries(q),
      uploads: await store.openUploads(q),
      mail: await mails.countUndelivered(q),
      suspense: await store.suspenseCents(q),
      backup: await backups.find(q),
    }));
    // Together: a rejection that nobody waits for would end the process.
    const [{ builds, videos }, free, rows] = await Promise.all([storedBytes(), freeBytes(deps.dataDir), read]);
    const { waiting, dead, deliveries, uploads, mail, suspense, backup } = rows;
    const byKind = (value: (row: (typeof waiting)[number]) => number) =>
      waiting.map((row) => ({ of: row.kind, value: value(row) }));
    const streams = [...deps.openStreams.values()].reduce((sum, count) => sum + count, 0);
    return [
      {
        name: "playtest_jobs_queued",
        help: "Background jobs that wait, due or not",
        label: "kind",
        values: byKind(({ queued }) => queued),
      },
      { name: "playtest_jobs_due", help: "Background jobs that are due or run", label: "kind", values: byKind(({ due }) => due) },
      {
        name: "playtest_jobs_due_seconds",
        help: "How long the first due background job that does not run has waited",
        label: "kind",
        values: byKind(({ first_due: first }) => (first === null ? 0 : (now - first) / 1000)),
      },
      {
        name: "playtest_jobs_dead",
        help: "Background jobs that failed for good, until `admin jobs retry`",
        label: "kind",
        values: dead.map(({ kind, count }) => ({ of: kind, value: count })),
      },
      {
        name: "playtest_mails_undelivered",
        help: "Emails whose last try failed: retried, or given up",
        label: "state",
        values: [
          { of: "retried", value: mail.waiting },
          { of: "failed", value: mail.failed },
        ],
      },
      {
        name: "playtest_mails_retried_recipients",
        help: "Addresses to which emails are retried",
        values: [{ value: mail.recipients }],
      },
      {
        name: "playtest_webhook_deliveries_waiting",
        help: "Deliveries that did not reach their webhook yet",
        label: "state",
        values: deliveries.map(({ state, count }) => ({ of: state, value: count })),
      },
      { name: "playtest_uploads_open", help: "Uploads that are not complete", values: [{ value: uploads.count }] },
      { name: "playtest_uploads_open_bytes", help: "What those uploads will take", values: [{ value: uploads.bytes }] },
      {
        name: "playtest_stored_bytes",
        help: "Size of the stored files, at most a minute old",
        label: "kind",
        values: [
          { of: "builds", value: builds },
          { of: "videos", value: videos },
        ],
      },
      { name: "playtest_disk_free_bytes", help: "Free space on the disk of the data folder", values: [{ value: free }] },
      {
        name: "playtest_ledger_suspense_cents",
        help: "Crypto payments without an order, for an operator to decide",
        values: [{ value: suspense }],
      },
      ...backupGauges(backup, now),
      { name: "playtest_event_streams", help: "Open event streams", values: [{ value: streams }] },
      {
        name: "playtest_database",
        help: "SQLite: writes and the commits that they shared so far. PostgreSQL: connections of the pool and who waits for one",
        label: "what",
        values: Object.entries(deps.store.numbers?.() ?? {}).map(([of, value]) => ({ of, value })),
      },
    ];
  };
}

/** None where the server makes no backups. */
const backupGauges = (state: backups.BackupState | undefined, now: number): Gauge[] =>
  state === undefined
    ? []
    : [
        {
          name: "playtest_backup_age_seconds",
          help: "How long ago the server made its last good backup, or was first to make one",
          values: [{ value: backups.ageOf(state, now) / 1000 }],
        },
        {
          name: "playtest_backup_failing",
          help: "1 while backups fail or are overdue",
          values: [{ value: backups.problemOf(state, now) === undefined ? 0 : 1 }],
        },
      ];
