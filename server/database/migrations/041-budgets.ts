import { enumerated } from "./002-enumerations.ts";
import { kinds as earlier, withKinds } from "./039-publications.ts";

export const kinds = [...earlier, "budget.threshold", "budget.exceeded"];

/**
 * What may be spent, by an account, by an API key and those made with it or in its place, or on a game. `budget_uses` is what was spent in
 * each window, from when it began (0 for `total`); `budget_entries` is of what that is the sum. `alerted` says what its owner was told.
 */
export const budgets = {
  name: "041-budgets",
  statements: [
    "ALTER TABLE api_keys ADD COLUMN read_only {int} NOT NULL DEFAULT 0",
    // Which key it was made in the place of, with or without the password. `rotated_from` is null with it.
    "ALTER TABLE api_keys ADD COLUMN replaces TEXT",
    "UPDATE api_keys SET replaces = rotated_from WHERE rotated_from IS NOT NULL",
    `CREATE TABLE budgets (
      id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), key_id TEXT REFERENCES api_keys (id), game_id TEXT REFERENCES games (id),
      period TEXT NOT NULL, limit_cents {int}, limit_minutes {int}, limit_slots {int}, approve_over_cents {int}, created_at {int} NOT NULL,
      updated_at {int} NOT NULL, removed_at {int}) {strict}`,
    "CREATE INDEX budgets_by_owner ON budgets (owner_id, created_at, id)",
    `CREATE TABLE budget_uses (
      budget_id TEXT NOT NULL REFERENCES budgets (id), starts_at {int} NOT NULL, cents {int} NOT NULL, minutes {int} NOT NULL, slots {int} NOT NULL,
      alerted {int} NOT NULL, PRIMARY KEY (budget_id, starts_at)) {strict}`,
    `CREATE TABLE budget_entries (
      id TEXT PRIMARY KEY, budget_id TEXT NOT NULL REFERENCES budgets (id), starts_at {int} NOT NULL, playtest_id TEXT, payment_id TEXT,
      kind TEXT NOT NULL, cents {int} NOT NULL, minutes {int} NOT NULL, slots {int} NOT NULL, created_at {int} NOT NULL) {strict}`,
    "CREATE INDEX budget_entries_by_budget ON budget_entries (budget_id, starts_at)",
    "CREATE INDEX budget_entries_by_playtest ON budget_entries (playtest_id) WHERE playtest_id IS NOT NULL",
    "CREATE INDEX budget_entries_by_payment ON budget_entries (payment_id) WHERE payment_id IS NOT NULL",
    ...enumerated("budgets", { period: ["order", "day", "month", "total"] }),
    ...enumerated("budget_entries", { kind: ["spend", "release", "refund"] }),
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
  ],
};
