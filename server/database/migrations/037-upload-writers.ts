/**
 * Which process writes an unfinished upload, where several share the database. `generation` counts how often a writer was replaced that
 * had not let go: it may still write to the file that it opened, so that its successor has a file of its own.
 */
export const uploadWriters = {
  name: "037-upload-writers",
  statements: [
    "CREATE TABLE upload_writers (upload_id TEXT PRIMARY KEY, generation {int} NOT NULL, token TEXT NOT NULL, previous TEXT, lease_until {int} NOT NULL, wanted {int} NOT NULL) {strict}",
  ],
};
