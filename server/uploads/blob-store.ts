import { standing } from "../accounts/users-store.ts";
import { applied, isApplied } from "../database/migrate.ts";
import type { Query } from "../database/port.ts";
import type { Download } from "../lib/signed-links.ts";

/** The keys of all files in the blob store that the database refers to, which may be that of an older program. */
export async function referencedBlobs(q: Query): Promise<string[]> {
  const names = new Set((await applied(q)).map(({ name }) => name));
  const rows = await q.all<{ blob_key: string }>(
    `SELECT kind || 's/' || id AS blob_key FROM uploads WHERE status = 'completed'
     UNION SELECT blob_key FROM builds WHERE blob_key IS NOT NULL
     UNION SELECT blob_key FROM submissions
     UNION SELECT original_key FROM transcriptions WHERE original_key IS NOT NULL
     UNION SELECT edited_key FROM transcriptions WHERE edited_key IS NOT NULL
     ${names.has("025-clips") ? "UNION SELECT 'clips/' || id FROM clips WHERE status = 'ready'" : ""}
     ${names.has("028-stills") ? "UNION SELECT 'stills/' || id FROM stills WHERE status = 'ready'" : ""}
     ${names.has("030-clip-posters") ? "UNION SELECT 'thumbnails/' || id FROM stills WHERE status = 'ready' AND thumbnail_size IS NOT NULL" : ""}
     ORDER BY 1`,
  );
  return rows.map((row) => row.blob_key);
}

/** The keys of files that are on the disk of a process, perhaps another one, and not in the bucket yet. */
export async function waitingElsewhere(q: Query): Promise<string[]> {
  if (!(await isApplied(q, "061-storing-blobs"))) return [];
  return (await q.all<{ blob_key: string }>("SELECT blob_key FROM storing_blobs")).map((row) => row.blob_key);
}

/** The kinds of files in the blob store: the first part of their keys. */
export const blobKinds = ["builds", "videos", "transcripts", "clips", "stills", "thumbnails"] as const;

/**
 * Whose file it is, by the id in its key, as long as a row names it: not that of a build whose game is suspended. A transcript has no row
 * that is found by its key.
 */
const owners: Record<string, string> = {
  builds: `SELECT g.owner_id FROM uploads f JOIN games g ON g.id = f.game_id AND g.status = 'active' WHERE f.id = ?
    AND EXISTS (SELECT 1 FROM builds b WHERE b.game_id = f.game_id AND b.blob_key = 'builds/' || f.id)`,
  videos: `SELECT s.owner_id FROM uploads f JOIN slots s ON s.id = f.slot_id WHERE f.id = ?
    AND EXISTS (SELECT 1 FROM submissions v WHERE v.slot_id = f.slot_id AND v.blob_key = 'videos/' || f.id)`,
  clips: "SELECT owner_id FROM clips WHERE id = ?",
  stills: "SELECT owner_id FROM stills WHERE id = ?",
  thumbnails: "SELECT owner_id FROM stills WHERE id = ?",
};

/**
 * Whether a link to a file still works: the file belongs to something, and the account that the link was made for, its owner's unless
 * another is given, is neither suspended nor deleted.
 */
export async function isLinkLive(q: Query, { blobKey }: Download, holder: string | undefined): Promise<boolean> {
  const [kind = "", id = ""] = blobKey.split("/");
  const sql = owners[kind];
  const owner = sql === undefined ? undefined : (await q.one<{ owner_id: string }>(sql, id))?.owner_id;
  const account = holder ?? owner;
  if (account === undefined || (sql !== undefined && owner === undefined)) return false;
  const found = await standing(q, account);
  return found?.suspended_at === null && found.deleted_at === null;
}
