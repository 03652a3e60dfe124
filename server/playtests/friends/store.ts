import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { countRows, deleteWhere, findRow, insertRow, putRow, updateWhere } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";

export type FriendRow = Tables["friends"];

/** A row with what it shows of the other playtester. */
export interface FriendDetailRow extends FriendRow {
  handle: string | null;
  display_name: string;
  available: number;
}

const detail = `SELECT f.*, p.handle, u.display_name, COALESCE(p.available, 1) AS available FROM friends f JOIN users u ON u.id = f.other_id
  LEFT JOIN playtester_profiles p ON p.user_id = f.other_id`;

export const list = (q: Query, userId: string, page: Page) =>
  paged(q, page, "f").all<FriendDetailRow>(`${detail} WHERE f.user_id = ?`, userId);
export const findDetail = (q: Query, id: string, userId: string) =>
  q.one<FriendDetailRow>(`${detail} WHERE f.id = ? AND f.user_id = ?`, id, userId);

/** What a playtester has about another one. */
export const between = (q: Query, userId: string, otherId: string) =>
  findRow(q, "friends", { user_id: userId, other_id: otherId });
export const insert = (tx: Query, row: New<"friends">) => insertRow(tx, "friends", row);
export const update = (tx: Query, id: string, changes: Partial<FriendRow>) => updateWhere(tx, "friends", changes, { id });
export const remove = (tx: Query, id: string) => deleteWhere(tx, "friends", { id });
export const count = (q: Query, userId: string) => countRows(q, "friends", { user_id: userId });

/** What a playtester last heard of the requests of another one. */
export const lastRequest = (q: Query, userId: string, otherId: string) =>
  findRow(q, "friend_requests", { user_id: userId, other_id: otherId });
export const putRequest = (tx: Query, row: New<"friend_requests">) => putRow(tx, "friend_requests", row, "user_id", "other_id");
/** Forgets the requests between two playtesters. */
export const forgetRequests = (tx: Query, userIds: readonly string[]) =>
  deleteWhere(tx, "friend_requests", { user_id: userIds, other_id: userIds });

export const profile = (q: Query, userId: string) => findRow(q, "playtester_profiles", { user_id: userId });
export const putProfile = (tx: Query, row: New<"playtester_profiles">) => putRow(tx, "playtester_profiles", row, "user_id");

/** Whether another playtester has this handle. */
export const isTaken = async (q: Query, handle: string, userId: string): Promise<boolean> =>
  (await q.one("SELECT user_id FROM playtester_profiles WHERE handle = ? AND user_id <> ?", handle, userId)) !== undefined;

/** The playtester with this handle whose account is neither suspended nor deleted. */
export const byHandle = (q: Query, handle: string) =>
  q.one<{ id: string; display_name: string }>(
    `SELECT u.id, u.display_name FROM playtester_profiles p JOIN users u ON u.id = p.user_id
      WHERE p.handle = ? AND u.suspended_at IS NULL AND u.deleted_at IS NULL`,
    handle,
  );

/** A connected friend by their handle. */
export const connected = (q: Query, userId: string, handle: string) =>
  q.one<{ id: string; display_name: string; available: number }>(
    `SELECT u.id, u.display_name, p.available FROM friends f JOIN playtester_profiles p ON p.user_id = f.other_id
      JOIN users u ON u.id = f.other_id
      WHERE f.user_id = ? AND f.status = 'connected' AND p.handle = ? AND u.suspended_at IS NULL AND u.deleted_at IS NULL`,
    userId,
    handle,
  );

/** Whether one of these playtesters blocked another of them. */
export const anyBlocked = async (q: Query, userIds: readonly string[]): Promise<boolean> =>
  (await countRows(q, "friends", { user_id: userIds, other_id: userIds, status: "blocked" })) > 0;
