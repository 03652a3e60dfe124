import { isApplied } from "../database/migrate.ts";
import type { Query } from "../database/port.ts";
import { deleteWhere, sendManyRows } from "../database/rows.ts";
import { referencedBlobs } from "../uploads/blob-store.ts";

/** The ids of uploads that are not complete. */
export const openUploadIds = async (q: Query) =>
  (await q.all<{ id: string }>("SELECT id FROM uploads WHERE status = 'open'")).map(({ id }) => id);

/** The paths below the data folder of all files that a row names. */
export async function namedFiles(q: Query): Promise<Set<string>> {
  const uploads = await q.all<{ id: string; kind: string }>("SELECT id, kind FROM uploads WHERE status = 'open'");
  // Of these a process may have a second name for the stored file, which is as old as that is.
  const videos = await q.all<{ id: string }>("SELECT id FROM uploads WHERE kind = 'video' AND status = 'completed'");
  const mails = await q.all<{ id: string }>("SELECT id FROM mails");
  return new Set([
    ...(await referencedBlobs(q)).map((key) => `blobs/${key}`),
    // All bytes may have arrived, and the server stopped before it recorded that.
    ...uploads.flatMap(({ id, kind }) => [`uploads/${id}`, `blobs/${kind}s/${id}`]),
    ...videos.map(({ id }) => `inspecting/${id}`),
    ...mails.map(({ id }) => `outbox/${id}.eml`),
  ]);
}

const keyOf = (path: string) => path.slice("blobs/".length);

/** Stored files that were found to belong to nothing: since when (real ms), by their paths. The database may be that of an older program. */
export async function strayBlobsOf(q: Query): Promise<Map<string, number>> {
  if (!(await isApplied(q, "071-stray-blobs"))) return new Map();
  const rows = await q.all<{ blob_key: string; seen_at: number }>("SELECT blob_key, seen_at FROM stray_blobs");
  return new Map(rows.map(({ blob_key, seen_at }) => [`blobs/${blob_key}`, seen_at]));
}

/** Keeps since when the stored files at these paths belong to nothing, of new ones `now` (real ms), and forgets all others. */
export async function keepStrayBlobs(tx: Query, paths: readonly string[], now: number): Promise<void> {
  const known = await strayBlobsOf(tx);
  const added = paths.filter((path) => !known.has(path));
  for (const path of paths) known.delete(path);
  for (const path of known.keys()) await deleteWhere(tx, "stray_blobs", { blob_key: keyOf(path) });
  sendManyRows(
    tx,
    "stray_blobs",
    added.map((path) => ({ blob_key: keyOf(path), seen_at: now })),
  );
}
