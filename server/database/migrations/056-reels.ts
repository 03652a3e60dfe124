/**
 * Reels: clips of several parts, each of any video of the game. For a reel, `captions` says whether it shows what is said, and `with_name`
 * whether it names playtesters; both are null for a clip of one part.
 */
export const reels = {
  name: "056-reels",
  statements: [
    "ALTER TABLE clips ADD COLUMN captions {int}",
    "ALTER TABLE clips ADD COLUMN with_name {int}",
    `CREATE TABLE clip_parts (
      clip_id TEXT NOT NULL REFERENCES clips (id), position {int} NOT NULL, slot_id TEXT NOT NULL REFERENCES slots (id), at_ms {int} NOT NULL,
      end_ms {int} NOT NULL, title TEXT NOT NULL, facts TEXT NOT NULL, PRIMARY KEY (clip_id, position)) {strict}`,
    "CREATE INDEX clip_parts_by_slot ON clip_parts (slot_id)",
  ],
};
