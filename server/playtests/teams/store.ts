import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { findRow, findRows, insertRow, sendRows, updateWhere } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";

export type TeamRow = Tables["teams"];
export type MemberRow = Tables["team_members"];

/** A member with what the others see of them. */
export interface NamedMemberRow extends MemberRow {
  handle: string | null;
  display_name: string;
  suspended_at: number | null;
}

/** SQL for whether slot `o` is held for a team whose members have not all confirmed. `now` is the time (ms) as SQL. */
export const heldForTeam = (now = "?") =>
  `EXISTS (SELECT 1 FROM teams w WHERE w.slot_id = o.id AND w.status = 'asking' AND w.confirm_by > ${now})`;

/** SQL for whether a member `m` of team `t` had the slot: confirmed, and the team was complete. */
const hadSlot = "t.status = 'complete' AND m.status IN ('confirmed', 'left')";

/** SQL for whether `who`, an SQL expression, ever had a slot `h` for which the condition holds: as its holder or in its team. */
export const had = (
  who: string,
  condition: string,
) => `(EXISTS (SELECT 1 FROM slots h WHERE h.playtester_id = ${who} AND ${condition})
    OR EXISTS (SELECT 1 FROM team_members m JOIN teams t ON t.id = m.team_id JOIN slots h ON h.id = m.slot_id
      WHERE m.user_id = ${who} AND ${hadSlot} AND ${condition}))`;

/** Like `had`, of slots that count against a playtester. */
export const played = (who: string, condition: string) => had(who, `h.excused = 0 AND ${condition}`);

/**
 * SQL for how many slots `who` holds: their own, and those of others in whose teams they confirmed. `now` is the time as SQL; where that is
 * a `?`, it is bound three times.
 */
export const heldCount = (
  who: string,
  now = "?",
) => `(SELECT COUNT(*) FROM slots h WHERE h.playtester_id = ${who} AND (h.status = 'blocked' OR (h.status = 'reserved' AND h.deadline_at > ${now})))
    + (SELECT COUNT(*) FROM team_members m JOIN teams t ON t.id = m.team_id JOIN slots h ON h.id = m.slot_id
      WHERE m.user_id = ${who} AND m.status = 'confirmed' AND ((t.status = 'asking' AND t.confirm_by > ${now})
        OR (t.status = 'complete' AND t.claimant_id <> m.user_id AND (h.status = 'blocked' OR (h.status = 'reserved' AND h.deadline_at > ${now})))))`;

/** SQL for the slots that `heldCount` counts, but for passed deadlines. Binds the id of the playtester twice, then the time (ms). */
export const heldSlots = `SELECT h.id FROM slots h WHERE h.playtester_id = ? AND h.status IN ('reserved', 'blocked')
  UNION ALL SELECT h.id FROM team_members m JOIN teams t ON t.id = m.team_id JOIN slots h ON h.id = m.slot_id
    WHERE m.user_id = ? AND m.status = 'confirmed' AND ((t.status = 'asking' AND t.confirm_by > ?)
      OR (t.status = 'complete' AND t.claimant_id <> m.user_id AND h.status IN ('reserved', 'blocked')))`;

/** SQL for the ids of the slots in whose teams a playtester plays or is asked to play at a time. Binds both: the id, and the time (ms). */
export const slotsOfMember = `SELECT m.slot_id FROM team_members m JOIN teams t ON t.id = m.team_id
  WHERE m.user_id = ? AND m.status IN ('asked', 'confirmed') AND (t.status = 'complete' OR (t.status = 'asking' AND t.confirm_by > ?))`;

/** The statuses of the slots of a playtest that this playtester had in the team of another one. A slot that they left counts as cancelled. */
export const statusesOf = (q: Query, playtestId: string, userId: string) =>
  q.all<Pick<Tables["slots"], "status">>(
    `SELECT CASE m.status WHEN 'left' THEN 'cancelled' ELSE h.status END AS status FROM team_members m JOIN teams t ON t.id = m.team_id
      JOIN slots h ON h.id = m.slot_id WHERE t.playtest_id = ? AND m.user_id = ? AND t.claimant_id <> m.user_id AND h.excused = 0 AND ${hadSlot}`,
    playtestId,
    userId,
  );

/** Whether a slot of the playtest is held for a team of this claimant that has not confirmed yet. */
export const isAsking = async (tx: Tx, playtestId: string, claimantId: string) =>
  (await tx.one(
    `SELECT t.id FROM teams t JOIN slots s ON s.id = t.slot_id
      WHERE t.playtest_id = ? AND t.claimant_id = ? AND t.status = 'asking' AND t.confirm_by > ? AND s.status = 'open'`,
    playtestId,
    claimantId,
    tx.now,
  )) !== undefined;

export const insert = (tx: Query, row: New<"teams">) => insertRow(tx, "teams", row);
export const update = (tx: Query, id: string, changes: Partial<TeamRow>) => updateWhere(tx, "teams", changes, { id });
export const find = (q: Query, id: string) => findRow(q, "teams", { id });

/** The team of a slot. Undefined for one without, or whose team has ended. */
export const ofSlot = (q: Query, slotId: string) => findRow(q, "teams", { slot_id: slotId, status: ["asking", "complete"] });
export const ofSlots = (q: Query, slotIds: readonly string[]) =>
  findRows(q, "teams", { slot_id: slotIds, status: ["asking", "complete"] }, "created_at", "id");

/** How many teams of a playtest hold an open slot at `now` (ms), for each playtest with any. */
export async function askingCounts(q: Query, playtestIds: readonly string[], now: number): Promise<Map<string, number>> {
  if (playtestIds.length === 0) return new Map();
  const rows = await q.all<{ playtest_id: string; n: number }>(
    `SELECT t.playtest_id, COUNT(*) AS n FROM teams t JOIN slots s ON s.id = t.slot_id WHERE t.status = 'asking' AND t.confirm_by > ?
      AND s.status = 'open' AND t.playtest_id IN (${playtestIds.map(() => "?").join(", ")}) GROUP BY t.playtest_id`,
    now,
    ...playtestIds,
  );
  return new Map(rows.map((row) => [row.playtest_id, row.n]));
}

/** Who has confirmed in a team that waits for others at a time (ms): one row for each playtester and game, of one game or of all. */
export const waitingMembers = (q: Query, gameId: string | null, now: number) =>
  q.all<{ user_id: string; game_id: string; game_name: string; playtest_id: string }>(
    `SELECT m.user_id, p.game_id, g.name AS game_name, MAX(p.id) AS playtest_id
      FROM team_members m JOIN teams t ON t.id = m.team_id JOIN playtests p ON p.id = t.playtest_id JOIN games g ON g.id = p.game_id
      WHERE m.status = 'confirmed' AND t.status = 'asking' AND t.confirm_by > ? ${gameId === null ? "" : "AND p.game_id = ?"}
      GROUP BY m.user_id, p.game_id, g.name ORDER BY m.user_id, p.game_id`,
    now,
    ...(gameId === null ? [] : [gameId]),
  );

export const addMembers = (tx: Query, rows: readonly MemberRow[]) => sendRows(tx, "team_members", rows);
export const addMember = (tx: Query, row: MemberRow) => insertRow(tx, "team_members", row);
export const updateMember = (tx: Query, id: string, changes: Partial<MemberRow>) =>
  updateWhere(tx, "team_members", changes, { id });

const named = `SELECT m.*, p.handle, u.display_name, u.suspended_at FROM team_members m JOIN users u ON u.id = m.user_id
  LEFT JOIN playtester_profiles p ON p.user_id = m.user_id`;

/** Everybody who was ever asked for these teams, by seat. */
export const membersOf = (q: Query, teamIds: readonly string[]) =>
  q.all<NamedMemberRow>(
    `${named} WHERE m.team_id IN (${teamIds.map(() => "?").join(", ")}) ORDER BY m.seat, m.created_at, m.id`,
    ...teamIds,
  );

/** The members of a slot's complete team besides the claimant: those who hold the slot with them, or those of these statuses. */
export const companions = (q: Query, slotId: string, statuses: readonly MemberRow["status"][] = ["confirmed"]) =>
  q.all<NamedMemberRow>(
    `${named} JOIN teams t ON t.id = m.team_id WHERE m.slot_id = ? AND t.status = 'complete'
      AND m.status IN (${statuses.map(() => "?").join(", ")}) AND t.claimant_id <> m.user_id ORDER BY m.seat`,
    slotId,
    ...statuses,
  );

/** What each member of a slot's complete team gets of the payout. Empty for a slot without a team. */
export const shares = (q: Query, slotId: string) =>
  q.all<{ user_id: string; share_cents: number }>(
    `SELECT m.user_id, m.share_cents FROM team_members m JOIN teams t ON t.id = m.team_id
      WHERE m.slot_id = ? AND t.status = 'complete' AND m.status = 'confirmed' ORDER BY m.seat`,
    slotId,
  );

/** A member who has not confirmed, or whose team is not complete yet, and the slot of the team. */
export interface Unsettled {
  slot_id: string;
  member_id: string;
}

const unsettled = `SELECT m.slot_id, m.id AS member_id FROM team_members m JOIN teams t ON t.id = m.team_id
  WHERE (m.status = 'asked' OR (m.status = 'confirmed' AND t.status = 'asking')) AND t.status <> 'ended'`;

/** Where one of two playtesters asked the other. */
export const unsettledBetween = (q: Query, one: string, other: string) =>
  q.all<Unsettled>(
    `${unsettled} AND ((m.user_id = ? AND t.claimant_id = ?) OR (m.user_id = ? AND t.claimant_id = ?)) ORDER BY m.slot_id`,
    one,
    other,
    other,
    one,
  );

/** Where a playtester is such a member. */
export const unsettledOf = (q: Query, userId: string) =>
  q.all<Unsettled>(`${unsettled} AND m.user_id = ? ORDER BY m.slot_id`, userId);
