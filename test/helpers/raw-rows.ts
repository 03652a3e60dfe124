import type { Query, Value } from "../../server/database/port.ts";

/**
 * Rows as a test writes them: into a table of any version of the database, with any values, and only in the columns that are given.
 * `server/database/rows.ts` writes rows of the present version.
 */
export const insertRow = (tx: Query, table: string, row: object) => insertRows(tx, table, [row]);

/** Inserts rows with the same fields. */
export const insertRows = (tx: Query, table: string, rows: readonly object[]) => tx.run(...insertion(table, rows));

/** Inserts rows with the same fields without waiting for the result. */
export const sendRows = (tx: Query, table: string, rows: readonly object[]) => tx.send(...insertion(table, rows));

const times = { created_at: 1, updated_at: 1 };

/** Inserts an owner, a game of theirs and a playtest of it by their ids. */
export async function insertPlaytest(tx: Query, owner: string, game: string, playtest: string): Promise<void> {
  const names = { display_name: owner, company_name: owner, email: owner, email_key: owner, password_hash: "!" };
  await insertRow(tx, "users", { id: owner, role: "game_owner", ...names, ...times });
  const about = { name: game, build_url: "", status: "active", devices: "[]", platforms: "[]" };
  await insertRow(tx, "games", { id: game, owner_id: owner, ...about, ...times });
  const terms = {
    quantity: 1,
    duration_minutes: 15,
    player_count: 1,
    cost_per_slot_cents: 0,
    payout_cents: 0,
    is_free_public_trial: 0,
  };
  const ordered = { visibility: "private", status: "active", selection_mode: "automatic" };
  await insertRow(tx, "playtests", { id: playtest, game_id: game, owner_id: owner, ...terms, ...ordered, ...times });
}

/** Inserts a background job that failed for good. */
export const insertDeadJob = (tx: Query, kind: string, error: string) =>
  insertRow(tx, "jobs", {
    ...{ id: "1", kind, unique_key: `${kind}:1`, payload: "{}", run_at: 1, lease_until: 0, created_at: 1 },
    ...{ state: "dead", attempts: 25, last_error: error },
  });

function insertion(table: string, rows: readonly object[]): [sql: string, ...values: Value[]] {
  const names = Object.keys(rows[0]!);
  const marks = rows.map(() => `(${names.map(() => "?").join(", ")})`).join(", ");
  return [`INSERT INTO ${table} (${names.join(", ")}) VALUES ${marks}`, ...rows.flatMap((row) => Object.values(row) as Value[])];
}
