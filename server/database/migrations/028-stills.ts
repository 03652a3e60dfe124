import { enumerated } from "./002-enumerations.ts";

/**
 * Still images of videos: of a moment, or without one the poster of the video. Shares of a clip, and the devices that playtesters played
 * on, as they say.
 */
export const stills = {
  name: "028-stills",
  statements: [
    `CREATE TABLE stills (
      id TEXT PRIMARY KEY, slot_id TEXT NOT NULL REFERENCES slots (id), moment_id TEXT UNIQUE REFERENCES moments (id),
      owner_id TEXT NOT NULL REFERENCES users (id), at_ms {int} NOT NULL, status TEXT NOT NULL, size {int} NOT NULL, error TEXT,
      created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    "CREATE UNIQUE INDEX stills_posters ON stills (slot_id) WHERE moment_id IS NULL",
    "CREATE INDEX stills_by_owner ON stills (owner_id)",
    ...enumerated("stills", { status: ["pending", "ready", "failed"] }),
    "ALTER TABLE shares ADD COLUMN clip_id TEXT REFERENCES clips (id)",
    "CREATE INDEX shares_by_clip ON shares (clip_id) WHERE clip_id IS NOT NULL",
    "ALTER TABLE submissions ADD COLUMN device TEXT",
    ...enumerated("submissions", { device: ["PC", "Mac", "Linux", "iOS", "Android"] }),
  ],
};
