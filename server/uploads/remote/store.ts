import type { Query, Store } from "../../database/port.ts";
import { deleteWhere, findRow, putRow } from "../../database/rows.ts";
import { byLease, type LeaseTime, leaseTime } from "../../jobs/store.ts";

/** Which files wait where, for processes that do not share a folder. */
export interface WaitingRows {
  add(key: string, size: number): Promise<unknown>;
  remove(key: string): Promise<unknown>;
  /** Whether the file waits on the disk of some process, or on that of another one. */
  isWaiting(key: string): Promise<boolean>;
  isElsewhere(key: string): Promise<boolean>;
  /** Whether the file waits in the folder of another process that has moved no files for some minutes. */
  isAbandoned(key: string): Promise<boolean>;
  /** The keys of files that should wait in this folder for longer than an hour. */
  old(): Promise<string[]>;
  /** True when this process may move the files of its folder for the next `leaseMs`. */
  lead(leaseMs: number): Promise<boolean>;
  /** Lets another process move them. */
  leave(): Promise<unknown>;
  /**
   * Forgets files in folders that no process has moved files of for a day: those were lost with their disk, or the database was restored
   * into another folder. Until then a process that comes back still has them.
   */
  forget(): Promise<void>;
}

const hour = 3_600_000;
const forgetAfterMs = 24 * hour;
/** Longer than a restart takes. */
const abandonedAfterMs = 2 * 60_000;

export interface RowsOptions {
  store: Store;
  /** The id of the folder, and of this process. */
  folder: string;
  token: string;
  /** Real time in ms. */
  now(): number;
}

export function createRows({ store, folder, token, now }: RowsOptions): WaitingRows {
  const leased = <T>(fn: (tx: Query, at: LeaseTime) => Promise<T>) =>
    store.write((tx) => fn(tx, leaseTime(store.dialect, now())), byLease);
  const find = (key: string) => store.read((q) => findRow(q, "storing_blobs", { blob_key: key }));
  return {
    add: (key, size) =>
      store.write((tx) => putRow(tx, "storing_blobs", { blob_key: key, folder, size, created_at: now() }, "blob_key")),
    remove: (key) => store.write((tx) => deleteWhere(tx, "storing_blobs", { blob_key: key, folder })),
    isWaiting: async (key) => (await find(key)) !== undefined,
    isElsewhere: async (key) => ((await find(key))?.folder ?? folder) !== folder,
    async isAbandoned(key) {
      if (!store.shared) return false;
      const at = leaseTime(store.dialect, now());
      const row = await store.read((q) =>
        q.one(
          `SELECT 1 AS found FROM storing_blobs WHERE blob_key = ? AND folder <> ? AND folder NOT IN
             (SELECT folder FROM storing_folders WHERE lease_until >= ${at.sql} - ${abandonedAfterMs})`,
          ...[key, folder, ...at.values],
        ),
      );
      return row !== undefined;
    },
    old: async () =>
      (
        await store.read((q) =>
          q.all<{ blob_key: string }>(
            "SELECT blob_key FROM storing_blobs WHERE folder = ? AND created_at < ?",
            folder,
            now() - hour,
          ),
        )
      ).map((row) => row.blob_key),
    async lead(leaseMs) {
      // Of one process there is nothing to agree on.
      if (!store.shared) return true;
      const row = await leased((tx, at) =>
        tx.one(
          `INSERT INTO storing_folders (folder, token, lease_until) VALUES (?, ?, ${at.sql} + CAST(? AS INTEGER))
           ON CONFLICT (folder) DO UPDATE SET token = excluded.token, lease_until = excluded.lease_until
           WHERE storing_folders.token = excluded.token OR storing_folders.lease_until <= ${at.sql}
           RETURNING token`,
          folder,
          token,
          ...at.values,
          leaseMs,
          ...at.values,
        ),
      );
      return row !== undefined;
    },
    async leave() {
      if (!store.shared) return;
      // The row stays: by it, others know that the folder is still there.
      await leased((tx, at) =>
        tx.run(`UPDATE storing_folders SET lease_until = ${at.sql} WHERE folder = ? AND token = ?`, ...at.values, folder, token),
      );
    },
    async forget() {
      if (!store.shared) return void (await store.write((tx) => tx.run("DELETE FROM storing_blobs WHERE folder <> ?", folder)));
      await leased(async (tx, at) => {
        const longAgo = `${at.sql} - ${forgetAfterMs}`;
        await tx.run(`DELETE FROM storing_folders WHERE lease_until < ${longAgo}`, ...at.values);
        await tx.run(
          `DELETE FROM storing_blobs WHERE created_at < ${longAgo} AND folder NOT IN (SELECT folder FROM storing_folders)`,
          ...at.values,
        );
      });
    },
  };
}

/** For a command that only looks. */
export const noRows: WaitingRows = {
  add: async () => {},
  remove: async () => {},
  isWaiting: async () => false,
  isElsewhere: async () => false,
  isAbandoned: async () => false,
  old: async () => [],
  lead: async () => true,
  leave: async () => {},
  forget: async () => {},
};
