/**
 * How often somebody gave a wrong password for an account, by a keyed hash of its email address: several processes slow guessing down
 * together. One failure is forgotten each minute; `forgotten_at` (ms) is when all of them are.
 */
export const wrongPasswords = {
  name: "029-wrong-passwords",
  statements: [
    "CREATE TABLE wrong_passwords (account TEXT PRIMARY KEY, forgotten_at {int} NOT NULL) {strict}",
    "CREATE INDEX wrong_passwords_by_end ON wrong_passwords (forgotten_at)",
  ],
};
