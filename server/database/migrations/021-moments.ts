import { enumerated } from "./002-enumerations.ts";

/** What owners note at moments of a video. `tags` is a JSON array of lowercase words. */
export const moments = {
  name: "021-moments",
  statements: [
    `CREATE TABLE moments (
      id TEXT PRIMARY KEY, slot_id TEXT NOT NULL REFERENCES slots (id), playtest_id TEXT NOT NULL REFERENCES playtests (id),
      game_id TEXT NOT NULL REFERENCES games (id), owner_id TEXT NOT NULL REFERENCES users (id), author_id TEXT NOT NULL REFERENCES users (id),
      build_id TEXT REFERENCES builds (id), at_ms {int} NOT NULL, end_ms {int}, kind TEXT NOT NULL, severity {int}, body TEXT NOT NULL,
      tags TEXT NOT NULL, created_at {int} NOT NULL, updated_at {int} NOT NULL) {strict}`,
    "CREATE INDEX moments_by_slot ON moments (slot_id, at_ms, id)",
    "CREATE INDEX moments_by_playtest ON moments (playtest_id, created_at, id)",
    "CREATE INDEX moments_by_game ON moments (game_id, created_at, id)",
    ...enumerated("moments", { kind: ["bug", "confusion", "delight", "idea", "note"] }),
  ],
};
