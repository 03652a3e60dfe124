import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { fileDrivers } from "../../database/drivers.ts";
import { flush } from "../../uploads/local-blobs.ts";

/** What a server keeps in its data folder. A restore moves these away before it moves in those of the archive. */
const items = [
  ...fileDrivers.flatMap(({ file }) => file!.names),
  ...["instance.key", "config.json", "blobs", "storing", "outbox", "uploads", "transcribing", "deletions.txt"],
];

/** Which files of a server are in this folder. */
export const present = (dataDir: string) => items.filter((name) => existsSync(join(dataDir, name)));

/** Where an archive is unpacked: in the data folder, because that may be a separate disk or a container volume. */
export const stagingIn = (dataDir: string) => join(dataDir, ".restore.part");
const swapping = (dataDir: string) => join(dataDir, ".restore");

/** Whether a restore was interrupted between the moves. A server must not start on a half-restored folder. */
export const isHalfRestored = (dataDir: string) => existsSync(swapping(dataDir));

/**
 * Moves the existing files away and the staged files in, then calls `last`. When anything fails, everything is moved back. Returns the
 * folder with the replaced files, if there were any. When it is killed in between, nothing is lost: the old files are in that folder.
 */
export async function swapIn(dataDir: string, stamp: string, last: () => Promise<void>): Promise<string | undefined> {
  const [staged, away] = [swapping(dataDir), join(dataDir, `replaced-${stamp}`)];
  const old = present(dataDir);
  if (old.length > 0) await mkdir(away, { mode: 0o700 });
  await rm(staged, { recursive: true, force: true });
  await rename(stagingIn(dataDir), staged);
  const moves = [
    ...old.map((name) => [join(dataDir, name), join(away, name)] as const),
    ...(await readdir(staged)).map((name) => [join(staged, name), join(dataDir, name)] as const),
  ];
  const moved: (readonly [string, string])[] = [];
  try {
    for (const move of moves) {
      await rename(...move);
      moved.push(move);
    }
    await flush(dataDir);
    await last();
  } catch (error) {
    for (const [from, to] of moved.reverse()) await rename(to, from);
    await rename(staged, stagingIn(dataDir));
    if (old.length > 0) await rmdir(away);
    throw error;
  }
  await rmdir(staged);
  return old.length > 0 ? away : undefined;
}
