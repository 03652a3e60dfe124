import type { Query, Value } from "../database/port.ts";
import type { Targeting } from "../playtests/slots/eligibility.ts";
import { inAudience, type PlaytestRow } from "../playtests/store.ts";

const played = (condition: string) =>
  `EXISTS (SELECT 1 FROM slots h WHERE h.playtester_id = u.id AND h.excused = 0 AND ${condition})`;

/** The oldest simulated playtester who may claim a slot of this playtest: never had one, is targeted, has time, and may hold one more slot. */
export function findFree(
  q: Query,
  playtest: PlaytestRow,
  targeting: Targeting,
  limits: { now: number; maxHeld: number },
): Promise<{ id: string } | undefined> {
  const targeted = targetedSql(playtest, targeting);
  return q.one<{ id: string }>(
    `SELECT u.id FROM users u JOIN playtests p ON p.id = ? WHERE u.role = 'playtester' AND u.simulated = 1 AND u.suspended_at IS NULL
      AND NOT ${played("h.playtest_id = p.id")}
      AND NOT EXISTS (SELECT 1 FROM applications a WHERE a.playtest_id = p.id AND a.playtester_id = u.id)
      AND NOT EXISTS (SELECT 1 FROM slots h JOIN playtests o ON o.id = h.playtest_id WHERE h.playtester_id = u.id AND h.status IN ('reserved', 'blocked')
        AND h.scheduled_at < p.scheduled_at + p.duration_minutes * 60000 AND h.scheduled_at + o.duration_minutes * 60000 > p.scheduled_at)
      AND (SELECT COUNT(*) FROM slots h WHERE h.playtester_id = u.id AND (h.status = 'blocked' OR (h.status = 'reserved' AND h.deadline_at > ?))) < ?
      AND ${inAudience("u.id")} ${targeted.sql} ORDER BY u.created_at, u.id LIMIT 1`,
    playtest.id,
    limits.now,
    limits.maxHeld,
    ...targeted.values,
  );
}

function targetedSql(
  playtest: PlaytestRow,
  { type, scope, pastScope, playtesterId }: Targeting,
): { sql: string; values: Value[] } {
  if (type === null) return { sql: "", values: [] };
  if (type === "past" && pastScope === "specific") return { sql: "AND u.id = ?", values: [playtesterId] };
  const [column, value] = scope === "game" ? ["game_id", playtest.game_id] : ["owner_id", playtest.owner_id];
  const sql =
    type === "new" ? `AND NOT ${played(`h.${column} = ?`)}` : `AND ${played(`h.status = 'accepted' AND h.${column} = ?`)}`;
  return { sql, values: [value] };
}
