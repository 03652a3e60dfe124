import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../app/deps.ts";
import { findRows } from "../database/rows.ts";
import { every } from "../lib/within.ts";
import { filesIn } from "../uploads/local-blobs.ts";
import { folderOf, uploadOf } from "../uploads/store.ts";

/** Bytes of uploads on the disk of a process that did not finish them. */

const everyMs = 60_000;
/** Uploads of one query. */
const most = 500;

/**
 * Removes, now and each minute, the bytes of uploads that another process ended, where processes share a bucket instead of a folder: the
 * jobs of that process do not reach this disk.
 */
export function startLeftovers(deps: Deps): void {
  if (!deps.blobs.remote || !deps.store.shared) return;
  const remove = () =>
    removeLeftovers(deps).catch((error) => {
      if (deps.draining.aborted) return;
      deps.log.warn({ err: error }, "could not remove the bytes of ended uploads; it is tried again in a minute");
    });
  void remove();
  every(everyMs, deps.draining, remove);
}

/** Removes the bytes of uploads that are not open. */
export async function removeLeftovers({ dataDir, store }: Pick<Deps, "dataDir" | "store">): Promise<void> {
  const folder = folderOf(dataDir);
  const names: string[] = [];
  for await (const { name } of filesIn(folder)) names.push(name);
  for (let from = 0; from < names.length; from += most) {
    const some = names.slice(from, from + most);
    // After the names: an upload has its row before it has a file.
    const rows = await store.read((q) => findRows(q, "uploads", { id: some.map(uploadOf), status: "open" }, "id"));
    const open = new Set(rows.map(({ id }) => id));
    for (const name of some) if (!open.has(uploadOf(name))) await rm(join(folder, name), { force: true });
  }
}
