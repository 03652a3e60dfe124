import { join } from "node:path";
import type { Query } from "../database/port.ts";
import { blobKinds } from "../uploads/blob-store.ts";
import type { Blobs } from "../uploads/blobs.ts";
import { filesIn } from "../uploads/local-blobs.ts";
import { uploadOf } from "../uploads/store.ts";
import { namedFiles, strayBlobsOf } from "./strays-store.ts";

/**
 * How long a file belongs to nothing before it is removed. Stored files count from when the server first found that, however old they are:
 * an older database that was put back for some days names none of those that were added since. A transcriber may work on its copy of a
 * video for a week.
 */
export const graceMs = 8 * 86_400_000;

/** A file is stored a moment before the row that names it. */
const storingMs = 3_600_000;

export interface Stray {
  /** Its path below the data folder. */
  path: string;
  bytes: number;
  /** Since when it belongs to nothing, as far as is known (real ms). */
  since: number;
}

export interface Strays {
  found: Stray[];
  /** So many stored files belong to nothing that the database is more likely another one, or older than the files. */
  suspicious: boolean;
}

export const isBlob = ({ path }: Stray) => path.startsWith("blobs/");

/** Those that are removed at `now` (real ms). */
export const dueStrays = (found: readonly Stray[], now: number) => found.filter(({ since }) => since <= now - graceMs);

/**
 * Files that belong to nothing in the database at `now` (real ms): stored ones, and those of its own in other folders that are older than
 * `graceMs`. Files of unfinished uploads belong to those.
 */
export async function findStrays(q: Query, { dataDir, blobs }: { dataDir: string; blobs: Blobs }, now: number): Promise<Strays> {
  let stored = 0;
  const old: Stray[] = [];
  for await (const { key, size, writtenAt } of blobs.list(blobKinds)) {
    stored += 1;
    if (writtenAt <= now - storingMs) old.push({ path: `blobs/${key}`, bytes: size, since: now });
  }
  for (const folder of ["uploads", "outbox", "transcribing", "clipping", "inspecting"])
    for await (const { name, bytes, changedAt } of filesIn(join(dataDir, folder)))
      if (isOurs(`${folder}/${name}`) && changedAt <= now - graceMs)
        old.push({ path: `${folder}/${name}`, bytes, since: changedAt });
  if (old.length === 0) return { found: [], suspicious: false };
  // After the files were listed: a row that was there by then names each file that is in use.
  const named = await namedFiles(q);
  const known = await strayBlobsOf(q);
  const found = old
    .filter(({ path }) => !named.has(path.startsWith("uploads/") ? uploadOf(path) : path))
    .map((stray) => ({ ...stray, since: known.get(stray.path) ?? stray.since }));
  const lost = found.filter(isBlob).length;
  return { found, suspicious: lost > fewFiles && lost > stored / 2 };
}

/** With so few strays nothing can be said about the database. */
const fewFiles = 20;

const id = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const ours = new RegExp(
  `^(uploads/${id}(\\.[0-9]+)?(\\.part)?|outbox/${id}\\.eml(\\.part)?|transcribing/${id}\\.(vtt|[0-9]+)|clipping/${id}\\.[0-9]+|inspecting/${id})$`,
);

/** Whether this program made the file. What somebody else put there stays. */
const isOurs = (path: string) => ours.test(path);
