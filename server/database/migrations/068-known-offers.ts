import { enumerated } from "./002-enumerations.ts";
import { kinds } from "./053-withdrawn-consents.ts";

/**
 * What people choose emails about: kinds of events, and new playtests. Of the playtesters who want those, the playtests that are not new to
 * them.
 */
export const knownOffers = {
  name: "068-known-offers",
  statements: [
    `CREATE TABLE known_offers (
      user_id TEXT NOT NULL REFERENCES users (id), playtest_id TEXT NOT NULL REFERENCES playtests (id), created_at {int} NOT NULL,
      PRIMARY KEY (user_id, playtest_id)) {strict}`,
    "ALTER TABLE notification_settings DROP CONSTRAINT notification_settings_kind_check",
    ...enumerated("notification_settings", { kind: [...kinds, "new_playtests"] }),
  ],
};
