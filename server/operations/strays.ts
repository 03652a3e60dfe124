import { join } from "node:path";
import type { Query } from "../database/port.ts";
import { blobKinds } from "../uploads/blob-store.ts";
import type { Blobs } from "../uploads/blobs.ts";
import { filesIn } from "../uploads/local-blobs.ts";
import { uploadOf } from "../uploads/store.ts";
import { namedFiles } from "./strays-store.ts";

/**
 * How old a file without a row is when it is removed. A file is stored a moment before the row that names it; a transcriber may work on
 * its copy of a video for a week.
 */
export const graceMs = 8 * 86_400_000;

export interface Stray {
  /** Its path below the data folder. */
  path: string;
  bytes: number;
}

export interface Strays {
  found: Stray[];
  /** So many stored files belong to nothing that the database is more likely another one, or older than the files. */
  suspicious: boolean;
}

/** Files that belong to nothing in the database, for longer than `graceMs` at `now` (real ms). Files of unfinished uploads belong to those. */
export async function findStrays(q: Query, { dataDir, blobs }: { dataDir: string; blobs: Blobs }, now: number): Promise<Strays> {
  const isOld = (changedAt: number) => changedAt <= now - graceMs;
  let stored = 0;
  const old: Stray[] = [];
  for await (const { key, size, writtenAt } of blobs.list(blobKinds)) {
    stored += 1;
    if (isOld(writtenAt)) old.push({ path: `blobs/${key}`, bytes: size });
  }
  for (const folder of ["uploads", "outbox", "transcribing", "clipping", "inspecting"])
    for await (const { name, bytes, changedAt } of filesIn(join(dataDir, folder)))
      if (isOurs(`${folder}/${name}`) && isOld(changedAt)) old.push({ path: `${folder}/${name}`, bytes });
  if (old.length === 0) return { found: [], suspicious: false };
  // After the files were listed: a row that was there by then names each file that is in use.
  const named = await namedFiles(q);
  const found = old.filter(({ path }) => !named.has(path.startsWith("uploads/") ? uploadOf(path) : path));
  const lost = found.filter(({ path }) => path.startsWith("blobs/")).length;
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
