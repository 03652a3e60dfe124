import { applied } from "../database/migrate.ts";
import type { Query } from "../database/port.ts";

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
