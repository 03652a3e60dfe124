/**
 * Since when a stored file belongs to nothing in the database, as its server found out. And jobs that migrations queued get an id as others
 * have, by which they can be retried: that of the game or the account they are for.
 */
export const strayBlobs = {
  name: "071-stray-blobs",
  statements: [
    "CREATE TABLE stray_blobs (blob_key TEXT PRIMARY KEY, seen_at {int} NOT NULL) {strict}",
    "UPDATE jobs SET id = SUBSTR(id, LENGTH(kind) + 2) WHERE id = kind || ':' || SUBSTR(id, LENGTH(kind) + 2)",
  ],
};
