/** What a server is to back up itself to. When `signal` aborts, it stops and leaves nothing behind. */
export interface BackupOrder {
  to: string;
  keep: string;
  signal: AbortSignal;
}

export interface MadeBackup {
  file: string;
  bytes: number;
  newBytes: number;
  removed: readonly string[];
  /** Files that the database names and that were missing. */
  missing: readonly string[];
}

/** Makes a backup of the server and removes older ones. */
export type BackUp = (order: BackupOrder) => Promise<MadeBackup>;
