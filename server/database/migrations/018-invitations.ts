import { enumerated } from "./002-enumerations.ts";

/** Invitations by email. There is one per address; its token is replaced when it is sent again. */
export const invitations = {
  name: "018-invitations",
  statements: [
    `CREATE TABLE invitations (
      id TEXT PRIMARY KEY, email TEXT NOT NULL, email_key TEXT NOT NULL UNIQUE, role TEXT NOT NULL, name TEXT, token_hash TEXT NOT NULL UNIQUE,
      created_at {int} NOT NULL, sent_at {int} NOT NULL, expires_at {int} NOT NULL, joined_at {int}, revoked_at {int}) {strict}`,
    ...enumerated("invitations", { role: ["game_owner", "playtester"] }),
  ],
};
