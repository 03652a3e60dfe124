import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../app/deps.ts";
import { findRows } from "../database/rows.ts";
import { filesIn } from "../uploads/local-blobs.ts";
import { folderOf, uploadOf } from "../uploads/store.ts";

/** Bytes of uploads on the disk of a process that did not finish them. */

const everyMs = 60_000;
/** Uploads of one query. */
const most = 500;

/**
 * Looks now and each minute for bytes of uploads that another process finished or removed, where processes share a bucket instead of a folder: no
 * other process reaches this disk, so their jobs cannot.
 */
export function startLeftovers(deps: Deps): void {
  if (!deps.blobs.remote || !deps.store.shared) return;
  let underway = false;
  const look = async () => {
    underway = true;
    await removeLeftovers(deps)
      .catch((error) => deps.log.warn({ err: error }, "could not remove bytes of ended uploads; tried again in a minute"))
      .finally(() => {
        underway = false;
      });
  };
  void look();
  const timer = setInterval(() => {
    if (!underway) void look();
  }, everyMs).unref();
  deps.draining.addEventListener("abort", () => clearInterval(timer));
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
