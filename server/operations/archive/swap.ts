import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { fileDrivers } from "../../database/drivers.ts";
import { flush } from "../../uploads/local-blobs.ts";

/** What a server keeps in its data folder: what a restore moves away before it moves the archive's in. */
const items = [
  ...fileDrivers.flatMap(({ file }) => file!.names),
  ...["instance.key", "config.json", "blobs", "outbox", "uploads", "transcribing"],
];

/** What of a server is in this folder already. */
export const present = (dataDir: string) => items.filter((name) => existsSync(join(dataDir, name)));

/** Where an archive is unpacked. Within the data folder, because that may be a disk of its own, or a container's volume. */
export const stagingIn = (dataDir: string) => join(dataDir, ".restore.part");
const swapping = (dataDir: string) => join(dataDir, ".restore");

/** Whether a restore was cut off between the moves: no server may start on half of one. */
export const isHalfRestored = (dataDir: string) => existsSync(swapping(dataDir));

/**
 * Moves what is in the folder away and the staged files in, then does `last`; when anything fails, everything is moved back. Gives the
 * folder with what was replaced, if there was something. Killed in the middle, it loses nothing: the old files are in that folder.
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
