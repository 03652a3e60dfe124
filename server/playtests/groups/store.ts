import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { addRow, deleteWhere, insertRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";

export type GroupRow = Tables["tester_groups"];

/** A group with the number of its members. */
export type CountedGroupRow = GroupRow & { members: number };

export type MemberRow = Pick<Tables["users"], "id" | "email" | "display_name" | "created_at">;

const counted =
  "SELECT g.*, (SELECT COUNT(*) FROM tester_group_members m WHERE m.group_id = g.id) AS members FROM tester_groups g";

export const find = (q: Query, id: string) => q.one<CountedGroupRow>(`${counted} WHERE g.id = ?`, id);
export const findByName = (q: Query, name: string) => q.one<CountedGroupRow>(`${counted} WHERE g.name = ?`, name);
export const all = (q: Query) => q.all<CountedGroupRow>(`${counted} ORDER BY g.name`);
export const insert = (tx: Query, group: New<"tester_groups">) => insertRow(tx, "tester_groups", group);

export const list = (q: Query, page: Page) => paged(q, page, "g").all<CountedGroupRow>(`${counted} WHERE 1 = 1`);

export async function remove(tx: Query, id: string): Promise<void> {
  await deleteWhere(tx, "tester_group_members", { group_id: id });
  await deleteWhere(tx, "tester_groups", { id });
}

/** The number of playtests that are offered to the group, or will be once they are paid. */
export const countPlaytests = async (q: Query, name: string): Promise<number> =>
  (await q.one<{ n: number }>(
    "SELECT COUNT(*) AS n FROM playtests WHERE panel = ? AND status IN ('active', 'pending_payment')",
    name,
  ))!.n;

export const listMembers = (q: Query, groupId: string, page: Page) =>
  paged(q, page, "m").all<MemberRow>(
    `SELECT m.* FROM (SELECT u.id, u.email, u.display_name, g.created_at FROM tester_group_members g JOIN users u ON u.id = g.user_id
      WHERE g.group_id = ?) m WHERE 1 = 1`,
    groupId,
  );

/** Whether the playtester is a member of the group with this name. */
export const isMember = async (q: Query, name: string, userId: string): Promise<boolean> =>
  (await q.one(
    "SELECT m.user_id FROM tester_group_members m JOIN tester_groups g ON g.id = m.group_id WHERE g.name = ? AND m.user_id = ?",
    name,
    userId,
  )) !== undefined;

const marks = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** The playtesters with these email addresses, in lower case. */
export const playtestersByEmail = (q: Query, emails: readonly string[]) =>
  q.all<{ id: string; email_key: string }>(
    `SELECT id, email_key FROM users WHERE role = 'playtester' AND deleted_at IS NULL AND email_key IN (${marks(emails)})`,
    ...emails,
  );

/** Adds members. Returns how many of them were not in the group. */
export async function addMembers(tx: Query, groupId: string, userIds: readonly string[], now: number): Promise<number> {
  let added = 0;
  for (const userId of userIds)
    if (await addRow(tx, "tester_group_members", { group_id: groupId, user_id: userId, created_at: now })) added += 1;
  return added;
}

/** Removes members. Returns how many of them were in the group. */
export const removeMembers = async (tx: Query, groupId: string, userIds: readonly string[]): Promise<number> =>
  userIds.length === 0 ? 0 : deleteWhere(tx, "tester_group_members", { group_id: groupId, user_id: userIds });
