import type { Query } from "../database/port.ts";
import { deleteWhere, findRow, putRow } from "../database/rows.ts";
import { iso } from "../lib/time.ts";

/** What became of the backups that the server makes. Times in ms of the server's clock. */
export interface BackupState {
  to: string;
  everyMs: number;
  /** When the server began to make backups in this folder. */
  since: number;
  /** When the last complete backup began. */
  doneAt?: number;
  file?: string;
  /** Since when each try failed, and why the newest did. */
  failedAt?: number;
  error?: string;
}

/** The row of the table of settings. */
const name = "backup";

/** Undefined where the server makes no backups. */
export async function find(q: Query): Promise<BackupState | undefined> {
  const text = (await findRow(q, "settings", { name }))?.value;
  return text === undefined ? undefined : (JSON.parse(text) as BackupState);
}

export const save = (tx: Query, state: BackupState) => putRow(tx, "settings", { name, value: JSON.stringify(state) }, "name");

export const forget = (tx: Query) => deleteWhere(tx, "settings", { name });

/** How long (ms) ago the last good backup was made, or backups were to begin. */
export const ageOf = ({ doneAt, since }: BackupState, now: number) => Math.max(0, now - (doneAt ?? since));

/** What is wrong with the backups; undefined when nothing is. A backup may take as long as the time between two. */
export function problemOf(state: BackupState, now: number): string | undefined {
  const { doneAt, failedAt, error, everyMs, to } = state;
  const last = doneAt === undefined ? "There is no good one yet." : `The last good one was made at ${iso(doneAt)}.`;
  if (failedAt !== undefined) return `backups to ${to} fail since ${iso(failedAt)}: ${error} ${last}`;
  return ageOf(state, now) > 2 * everyMs ? `no backup was made in ${to} for too long. ${last}` : undefined;
}

/** For administrators, who may not know the machine. */
export const summaryOf = (state: BackupState | undefined, now: number) => ({
  lastBackupAt: state?.doneAt === undefined ? null : iso(state.doneAt),
  backupFailing: state !== undefined && problemOf(state, now) !== undefined,
});
