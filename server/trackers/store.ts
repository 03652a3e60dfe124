import type { TrackerName } from "../../src/contract/findings/trackers.ts";
import type { Query } from "../database/port.ts";
import { deleteWhere, findRow, findRows, putRow, updateWhere } from "../database/rows.ts";
import type { Tables } from "../database/schema/index.ts";

/** With what an owner reaches a tracker. */
export type ConnectionRow = Tables["tracker_connections"];

/** What `sealed` is sealed for. */
export const tokenContext = (ownerId: string, tracker: string) => `tracker ${ownerId} ${tracker}`;

export const find = (q: Query, ownerId: string, tracker: TrackerName) =>
  findRow(q, "tracker_connections", { owner_id: ownerId, tracker });
export const list = (q: Query, ownerId: string) => findRows(q, "tracker_connections", { owner_id: ownerId }, "tracker");
/** Puts it in the place of the one before it, which has the same id. */
export const put = (tx: Query, row: ConnectionRow) => putRow(tx, "tracker_connections", row, "owner_id", "tracker");
export const remove = (tx: Query, ownerId: string, tracker: TrackerName) =>
  deleteWhere(tx, "tracker_connections", { owner_id: ownerId, tracker });

/** The tracker asked for no more requests with this token until `until` (ms). */
export const pause = (tx: Query, id: string, until: number) =>
  updateWhere(tx, "tracker_connections", { paused_until: until }, { id });

/** What is shown of the videos of a game beside evidence. */
export const devicesOf = (q: Query, gameId: string) =>
  q.all<{ slot_id: string; device: string | null }>(
    "SELECT s.id AS slot_id, b.device FROM slots s JOIN submissions b ON b.slot_id = s.id WHERE s.game_id = ?",
    gameId,
  );

/** Issues that wait for a try, or whose last one failed, are tried then, but not those that were deleted in the tracker. */
export const resumeIssues = (tx: Query, ownerId: string, tracker: TrackerName, now: number) =>
  tx.run(
    `UPDATE finding_issues SET next_attempt_at = ?, attempts = 0, error = NULL
      WHERE owner_id = ? AND tracker = ? AND state <> 'deleted' AND (next_attempt_at IS NOT NULL OR error IS NOT NULL)`,
    now,
    ownerId,
    tracker,
  );

/** The issues of an owner in a tracker that wait for a try. */
export const waiting = (q: Query, ownerId: string, tracker: TrackerName) =>
  q.all<{ finding_id: string }>(
    "SELECT finding_id FROM finding_issues WHERE owner_id = ? AND tracker = ? AND next_attempt_at IS NOT NULL",
    ownerId,
    tracker,
  );
