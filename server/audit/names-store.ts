import type { Query } from "../database/port.ts";

const tables = [
  "SELECT id, display_name AS name FROM users WHERE id",
  "SELECT id, name FROM games WHERE id",
  "SELECT id, name FROM tester_groups WHERE id",
  "SELECT p.id, g.name FROM playtests p JOIN games g ON g.id = p.game_id WHERE p.id",
  "SELECT id, name FROM categories WHERE id",
  "SELECT id, COALESCE(name, email) AS name FROM invitations WHERE id",
  "SELECT o.id, u.display_name AS name FROM payouts o JOIN users u ON u.id = o.user_id WHERE o.id",
  "SELECT y.id, u.display_name AS name FROM payments y JOIN users u ON u.id = y.owner_id WHERE y.id",
  "SELECT k.id, u.display_name AS name FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.id",
  `SELECT b.id, (SELECT CASE COUNT(*) WHEN 1 THEN '1 payout' ELSE COUNT(*) || ' payouts' END FROM payouts o WHERE o.batch_id = b.id)
    || COALESCE(' (' || b.method || ')', '') AS name FROM payout_batches b WHERE b.id`,
  "SELECT s.id, g.name FROM slots s JOIN games g ON g.id = s.game_id WHERE s.id",
  "SELECT c.id, g.name FROM publications c JOIN slots s ON s.id = c.slot_id JOIN games g ON g.id = s.game_id WHERE c.id",
];

/**
 * What people call these accounts, games, groups, categories and invitations; for a playtest, slot or publication its game, for a payout, payment or key
 * whose it is, for a batch of payouts how many. Others have no name.
 */
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
