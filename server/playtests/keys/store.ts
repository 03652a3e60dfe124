import type { Query } from "../../database/port.ts";
import { countRows, findRows, sendManyRows, updateWhere } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";

export type KeyRow = Tables["playtest_keys"];

const unused = "k.slot_id IS NULL AND k.retired_at IS NULL";

/** SQL for whether playtest `p` can hand out the keys of one slot. A playtest without keys always can. */
export const suppliedSql = `(p.uses_keys = 0
  OR (SELECT COUNT(*) FROM playtest_keys k WHERE k.playtest_id = p.id AND ${unused}) >= p.player_count)`;

/** SQL for whether an open slot of playtest `p` has no keys left. */
export const lackingSql = `p.uses_keys = 1 AND (SELECT COUNT(*) FROM playtest_keys k WHERE k.playtest_id = p.id AND ${unused})
  < p.player_count * (SELECT COUNT(*) FROM slots o WHERE o.playtest_id = p.id AND o.status = 'open')`;

export const insert = (tx: Query, keys: readonly New<"playtest_keys">[]) => sendManyRows(tx, "playtest_keys", keys);

/** Every key of a playtest, in the order in which they were added. */
export const ofPlaytest = (q: Query, playtestId: string) => findRows(q, "playtest_keys", { playtest_id: playtestId }, "position");

/** The keys that the holder of a slot sees. */
export const ofSlot = (q: Query, slotId: string) =>
  findRows(q, "playtest_keys", { slot_id: slotId, retired_at: null }, "position");

/** How many keys a slot has had, with those that were retired. */
export const countEver = (q: Query, slotId: string) => countRows(q, "playtest_keys", { slot_id: slotId });

/** Whether a slot of a team has a key that no member was given yet. */
export const hasUndealt = async (q: Query, slotId: string): Promise<boolean> =>
  (await countRows(q, "playtest_keys", { slot_id: slotId, user_id: null, retired_at: null })) > 0;

/** The number of keys that nobody has seen, for each playtest with at least one. */
export async function unusedCounts(q: Query, playtestIds: readonly string[]): Promise<Map<string, number>> {
  if (playtestIds.length === 0) return new Map();
  const rows = await q.all<{ playtest_id: string; n: number }>(
    `SELECT k.playtest_id, COUNT(*) AS n FROM playtest_keys k
      WHERE ${unused} AND k.playtest_id IN (${playtestIds.map(() => "?").join(", ")}) GROUP BY k.playtest_id`,
    ...playtestIds,
  );
  return new Map(rows.map((row) => [row.playtest_id, row.n]));
}

/** Gives the next unused keys, in order, to a slot. False, with nothing changed, when there are fewer than `count`. */
export async function assign(tx: Query, playtestId: string, slotId: string, count: number): Promise<boolean> {
  const next = await tx.all<Pick<KeyRow, "position">>(
    `SELECT k.position FROM playtest_keys k WHERE k.playtest_id = ? AND ${unused} ORDER BY k.position LIMIT CAST(? AS INTEGER)`,
    playtestId,
    count,
  );
  if (next.length < count) return false;
  for (const { position } of next)
    await updateWhere(tx, "playtest_keys", { slot_id: slotId }, { playtest_id: playtestId, position });
  return true;
}

/** Moves the keys of a rejected slot to its retry, which belongs to the same playtester. */
export const moveToRetry = (tx: Query, fromSlotId: string, toSlotId: string) =>
  updateWhere(tx, "playtest_keys", { slot_id: toSlotId }, { slot_id: fromSlotId, retired_at: null });

/** Takes a slot's keys from its playtester, who has seen them. */
export const retire = (tx: Query, slotId: string, now: number) =>
  updateWhere(tx, "playtest_keys", { retired_at: now }, { slot_id: slotId, retired_at: null });

/** Gives a key of a slot to a member of its team. */
export const deal = (tx: Query, { playtest_id, position }: Pick<KeyRow, "playtest_id" | "position">, userId: string) =>
  updateWhere(tx, "playtest_keys", { user_id: userId }, { playtest_id, position });

/** Takes the key of a slot from a member of its team, who has seen it. */
export const retireOf = (tx: Query, slotId: string, userId: string, now: number) =>
  updateWhere(tx, "playtest_keys", { retired_at: now }, { slot_id: slotId, user_id: userId, retired_at: null });
