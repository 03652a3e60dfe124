import type { Query } from "../database/port.ts";
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
