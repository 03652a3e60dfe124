import { enumerated } from "./002-enumerations.ts";

/** What playtesters say about themselves, and whom an order is for by that: JSON lists, of which an empty one is everyone. */
export const audiences = {
  name: "065-audiences",
  statements: [
    `CREATE TABLE playtester_traits (
      user_id TEXT NOT NULL REFERENCES users (id), kind TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (user_id, kind, value)) {strict}`,
    ...enumerated("playtester_traits", { kind: ["country", "language", "device", "age"] }),
    ...["countries", "languages", "devices", "ages"].map(
      (list) => `ALTER TABLE playtests ADD COLUMN target_${list} TEXT NOT NULL DEFAULT '[]'`,
    ),
  ],
};
