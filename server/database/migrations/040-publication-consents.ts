import { enumerated } from "./002-enumerations.ts";

const adapters = ["own", "youtube"];

/**
 * What playtesters consented to who took part in a public playtest, whether their name is published, and the accounts on video platforms
 * that operators connected.
 */
export const publicationConsents = {
  name: "040-publication-consents",
  statements: [
    `CREATE TABLE publication_consents (
      playtest_id TEXT NOT NULL REFERENCES playtests (id), playtester_id TEXT NOT NULL REFERENCES users (id), version {int} NOT NULL,
      adapter TEXT NOT NULL, name TEXT, accepted_at {int} NOT NULL, PRIMARY KEY (playtest_id, playtester_id)) {strict}`,
    "ALTER TABLE users ADD COLUMN published_name TEXT NOT NULL DEFAULT 'shown'",
    `CREATE TABLE publisher_connections (
      id TEXT PRIMARY KEY, adapter TEXT NOT NULL UNIQUE, account TEXT NOT NULL, sealed TEXT NOT NULL, created_at {int} NOT NULL) {strict}`,
    "CREATE INDEX submissions_published ON submissions (published_at) WHERE published_at IS NOT NULL",
    ...enumerated("users", { published_name: ["shown", "hidden"] }),
    ...enumerated("publication_consents", { adapter: adapters }),
    ...enumerated("publisher_connections", { adapter: adapters }),
  ],
};
