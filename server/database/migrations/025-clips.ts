import { enumerated } from "./002-enumerations.ts";

/** Parts of videos that owners cut out. `size` counts to what the account stores: the most a clip may have until it is ready. */
export const clips = {
  name: "025-clips",
  statements: [
    `CREATE TABLE clips (
      id TEXT PRIMARY KEY, slot_id TEXT NOT NULL REFERENCES slots (id), playtest_id TEXT NOT NULL REFERENCES playtests (id),
      game_id TEXT NOT NULL REFERENCES games (id), owner_id TEXT NOT NULL REFERENCES users (id), name TEXT NOT NULL, at_ms {int} NOT NULL,
      end_ms {int} NOT NULL, status TEXT NOT NULL, size {int} NOT NULL, error TEXT, created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    "CREATE INDEX clips_by_slot ON clips (slot_id, created_at, id)",
    "CREATE INDEX clips_by_owner ON clips (owner_id)",
    ...enumerated("clips", { status: ["pending", "ready", "failed"] }),
  ],
};
