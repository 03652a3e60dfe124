import type { Query } from "../../database/port.ts";
import { findRow, findRows, insertRow, updateRow, updateWhere } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import type { Caller } from "../../http/call.ts";

export type BudgetRow = Tables["budgets"];

/** A key and all keys above it: what it was made with and in the place of, directly or indirectly. */
const above = `WITH RECURSIVE above (id, parent_id, replaces) AS (
  SELECT id, parent_id, replaces FROM api_keys WHERE id = ? AND user_id = ?
  UNION SELECT k.id, k.parent_id, k.replaces FROM above a JOIN api_keys k ON k.id IN (a.parent_id, a.replaces))`;

/** The account's budgets, oldest first, so that all who change their uses do so in one order. */
export const listForOwner = (q: Query, ownerId: string) =>
  findRows(q, "budgets", { owner_id: ownerId, removed_at: null }, "created_at", "id");

/** The budgets that count what this caller spends: of its key, of the keys above that, and of the account. Each may be for one game. */
export const ofCaller = (q: Query, { keyId, userId }: Pick<Caller, "keyId" | "userId">) =>
  q.all<BudgetRow>(
    `${above} SELECT b.* FROM budgets b WHERE b.owner_id = ? AND b.removed_at IS NULL
      AND (b.key_id IS NULL OR b.key_id IN (SELECT id FROM above)) ORDER BY b.created_at, b.id`,
    keyId,
    userId,
    userId,
  );

/** Whether a budget limits the key of the caller, rather than the account. */
export const isBudgeted = async (q: Query, { keyId, userId }: Pick<Caller, "keyId" | "userId">): Promise<boolean> =>
  (await q.one(
    `${above} SELECT b.id FROM budgets b WHERE b.removed_at IS NULL AND b.key_id IN (SELECT id FROM above) LIMIT 1`,
    keyId,
    userId,
  )) !== undefined;

/** The budgets with these ids, also those that were removed. */
export const withIds = (q: Query, ids: readonly string[]) => findRows(q, "budgets", { id: ids }, "created_at", "id");

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  findRow(q, "budgets", { id, owner_id: ownerId, removed_at: null });

export const insert = (tx: Query, row: New<"budgets">) => insertRow(tx, "budgets", row);

/** Removes the budgets of a key. */
export const removeOfKey = (tx: Query, keyId: string, now: number) =>
  updateWhere(tx, "budgets", { removed_at: now }, { key_id: keyId, removed_at: null });

export const update = (tx: Query, id: string, changes: Partial<BudgetRow>) => updateRow(tx, "budgets", id, changes);
