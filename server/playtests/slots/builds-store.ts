import type { Query } from "../../database/port.ts";
import { type BuildRow, newestBuildAt } from "../../games/store.ts";
import type { SlotRow } from "./store.ts";

/**
 * The build that the playtester of a slot has: the newest at the claim, also at that of a retry, or when the fixed time begins. A later one
 * replaces it only if the owner returns the slot after a reported problem. So a video belongs to the build that was played.
 */

/** Until when a build of a slot `s` must have been there (ms). */
export const buildTimeSql = "COALESCE(s.build_at, s.scheduled_at, s.reserved_at, s.created_at)";

/** The id of the build of a slot `s`; null if it began before the first. */
export const buildIdSql = `(SELECT o.id FROM builds o WHERE o.game_id = s.game_id AND o.created_at <= ${buildTimeSql}
  ORDER BY o.created_at DESC, o.id DESC LIMIT 1)`;

/** Until when a build must have been there for one that gets the newest now (ms): a process whose clock is ahead may have stored it. */
export async function newestBuildTime(tx: Query, gameId: string, now: number): Promise<number> {
  const newest = await newestBuildAt(tx, gameId, Number.MAX_SAFE_INTEGER);
  return Math.max(now, newest?.created_at ?? now);
}

type Times = Pick<SlotRow, "game_id" | "build_at" | "scheduled_at" | "reserved_at" | "created_at">;

/** The build of a slot, as `buildTimeSql` says. Undefined if it began before the first. */
export const buildOf = (
  q: Query,
  { game_id, build_at, scheduled_at, reserved_at, created_at }: Times,
): Promise<BuildRow | undefined> => newestBuildAt(q, game_id, build_at ?? scheduled_at ?? reserved_at ?? created_at);
