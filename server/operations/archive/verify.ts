import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../../config/read.ts";
import type { Check } from "../../database/port.ts";
import { doctor } from "../doctor.ts";
import { isBackupFolder, newestName } from "./contents.ts";
import { configChangesAt } from "./programs.ts";
import type { OnProgress } from "./progress.ts";
import { type Restored, restore } from "./restore.ts";
import { makeScratch } from "./scratch.ts";

export interface VerifyOptions {
  /** A backup, or the folder of them, of which the newest is taken. */
  path: string;
  /** The folder in which everything is restored for the time of the check; by default that of the system. */
  folder?: string | undefined;
  /** The server's configuration file; that of the backup unless given. */
  config?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Current time in milliseconds. */
  now: number;
  signal: AbortSignal;
  onProgress: OnProgress;
}

export interface Verified {
  restored: Restored;
  /** What the checks of a server and of its ledger say about the restored one. */
  checks: Check[];
}

/**
 * Restores a backup into a temporary folder, as SQLite, checks the server that it makes, and removes it again. Throws as `restore` does for a
 * backup that cannot be restored.
 */
export async function verifyBackup({ path, folder, config, env, ...options }: VerifyOptions): Promise<Verified> {
  const archive = newestOf(path);
  const data = makeScratch(folder ?? tmpdir(), "playtest-verify-", options.now);
  // The server's own database must not be touched, nor found full.
  const { PLAYTEST_DATABASE_URL: _, DATABASE_URL: __, ...rest } = env;
  try {
    // No server runs there that could start them.
    const { programs } = await configChangesAt(archive, { dataDir: data });
    const where = { data, config, env: rest };
    const restored = await restore({ ...options, ...where, archive, replace: false, programs, dryRun: false });
    const checks = await doctor({ ...where, ledger: true, fix: false, now: options.now });
    // What became of the backups since is not in a backup, not even that it was made.
    return { restored, checks: checks.filter(({ name }) => name !== "backups") };
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

/** A backup itself, or the newest in a folder of backups. */
function newestOf(path: string): string {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory() || isBackupFolder(path)) return path;
  const newest = newestName(path);
  if (newest === undefined)
    throw new ConfigError(`${path} has no backup that \`playtest serve backup\` named. Nothing was checked. Pass its path.`);
  return join(path, newest);
}
