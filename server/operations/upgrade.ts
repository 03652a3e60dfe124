import { readdirSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../config/read.ts";
import type { DatabaseLocation } from "../database/drivers.ts";
import type { Behind } from "../database/migrate.ts";
import { fileSize, freeBytes } from "../lib/free-space.ts";
import { flush, sizeOf } from "../uploads/local-blobs.ts";

/** How long (ms) the copy of a database is kept that was made before it was brought up to date: what was deleted since is in it. */
export const copyKeptMs = 14 * 86_400_000;

/** What stays free beside the copy, for the migrations themselves. */
const spareBytes = 64 * 2 ** 20;

/** Behind the name of the database, so that the copy counts as one of its files: only its owner may read it. */
const mark = ".from-";

/**
 * Copies a database that is a file before it is brought up to date, beside it, with the name of its last migration. Returns the path of
 * the copy; null for a database on a server, of which the operator makes copies. Throws ConfigError when there is no space.
 */
export async function keepCopy(
  { driver, dataDir }: Pick<DatabaseLocation, "driver" | "dataDir">,
  { last }: Behind,
): Promise<string | null> {
  if (!driver.file) return null;
  const sizes = await Promise.all(driver.file.names.map((name) => sizeOf(join(dataDir, name))));
  const needed = sizes.reduce<number>((sum, size) => sum + (size ?? 0), spareBytes);
  const free = await freeBytes(dataDir);
  if (free < needed)
    throw new ConfigError(
      `The database must be brought up to date, and ${dataDir} has too little space for a copy of it: ${fileSize(free)} are free, ${fileSize(needed)} are needed. Nothing was changed. Free some space, or pass --no-backup if you have a backup.`,
    );
  const copy = join(dataDir, `${driver.file.names[0]}${mark}${last}`);
  const part = `${copy}.part`;
  try {
    await driver.file.copy(dataDir, part, () => {});
    await flush(part);
    await rename(part, copy);
    await flush(dataDir);
  } finally {
    for (const name of readdirSync(dataDir)) if (join(dataDir, name).startsWith(part)) await rm(join(dataDir, name));
  }
  return copy;
}

/** Removes copies that are older than `copyKeptMs`. */
export async function removeOldCopies(dataDir: string, now: number): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name);
    if (name.includes(`.db${mark}`) && statSync(path).mtimeMs < now - copyKeptMs) await rm(path, { force: true });
  }
}
