/** Since when a stored file belongs to nothing in the database, as its server found out. */
export const strayBlobs = {
  name: "071-stray-blobs",
  statements: ["CREATE TABLE stray_blobs (blob_key TEXT PRIMARY KEY, seen_at {int} NOT NULL) {strict}"],
};
