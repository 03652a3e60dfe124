/**
 * Files that are stored on the disk of one process and not in the bucket yet, by the folder in which they wait, and which process moves
 * the files of a folder.
 */
export const storingBlobs = {
  name: "061-storing-blobs",
  statements: [
    "CREATE TABLE storing_blobs (blob_key TEXT PRIMARY KEY, folder TEXT NOT NULL, size {int} NOT NULL, created_at {int} NOT NULL) {strict}",
    "CREATE TABLE storing_folders (folder TEXT PRIMARY KEY, token TEXT NOT NULL, lease_until {int} NOT NULL) {strict}",
  ],
};
