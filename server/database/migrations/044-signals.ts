import { enumerated } from "./002-enumerations.ts";

/** What was measured of the video of a slot: JSON arrays of one number for each second. */
export const signals = {
  name: "044-signals",
  statements: [
    `CREATE TABLE video_signals (
      slot_id TEXT PRIMARY KEY REFERENCES slots (id), blob_key TEXT NOT NULL, status TEXT NOT NULL, error TEXT, loudness TEXT, motion TEXT,
      luma TEXT, created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    ...enumerated("video_signals", { status: ["pending", "ready", "failed"] }),
  ],
};
