import type { Query } from "../database/port.ts";

const tables = [
  "SELECT id, display_name AS name FROM users WHERE id",
  "SELECT id, name FROM games WHERE id",
  "SELECT id, name FROM tester_groups WHERE id",
  "SELECT p.id, g.name FROM playtests p JOIN games g ON g.id = p.game_id WHERE p.id",
  "SELECT s.id, g.name FROM slots s JOIN games g ON g.id = s.game_id WHERE s.id",
];

/** What people call these accounts, games, groups, playtests and slots. Others have no name. */
export async function namesOf(q: Query, ids: readonly string[]): Promise<Map<string, string>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const list = `IN (${wanted.map(() => "?").join(", ")})`;
  const rows = await q.all<{ id: string; name: string }>(
    tables.map((table) => `${table} ${list}`).join(" UNION ALL "),
    ...tables.flatMap(() => wanted),
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
