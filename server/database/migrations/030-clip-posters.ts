/** Stills of clips, which are their posters, and a small copy of each still for lists: its bytes, null where it was cut without one. */
export const clipPosters = {
  name: "030-clip-posters",
  statements: [
    "ALTER TABLE stills ADD COLUMN clip_id TEXT REFERENCES clips (id)",
    "ALTER TABLE stills ADD COLUMN thumbnail_size {int}",
    "CREATE UNIQUE INDEX stills_by_clip ON stills (clip_id) WHERE clip_id IS NOT NULL",
    "DROP INDEX stills_posters",
    "CREATE UNIQUE INDEX stills_posters ON stills (slot_id) WHERE moment_id IS NULL AND clip_id IS NULL",
  ],
};
