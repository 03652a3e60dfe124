import type { BudgetPeriod } from "../../../src/contract/accounts/budgets.ts";
import type { Query } from "../../database/port.ts";
import { insertRow, updateRow } from "../../database/rows.ts";
import type { Caller } from "../../http/call.ts";

export interface BudgetRow {
  id: string;
  owner_id: string;
  /** The key whose spending it counts, with that of the keys below it. Null: of every key and browser of the account. */
  key_id: string | null;
  /** The game whose orders it counts; null: of every game, and everything that is paid in. */
  game_id: string | null;
  period: BudgetPeriod;
  limit_cents: number | null;
  limit_minutes: number | null;
  limit_slots: number | null;
  approve_over_cents: number | null;
  created_at: number;
  updated_at: number;
  removed_at: number | null;
}

/** A key and all keys above it: what it was made with and in the place of, directly or indirectly. */
const above = `WITH RECURSIVE above (id, parent_id, replaces) AS (
  SELECT id, parent_id, replaces FROM api_keys WHERE id = ? AND user_id = ?
  UNION SELECT k.id, k.parent_id, k.replaces FROM above a JOIN api_keys k ON k.id IN (a.parent_id, a.replaces))`;

/** The account's budgets, oldest first, so that all who change their uses do so in one order. */
export const listForOwner = (q: Query, ownerId: string) =>
  q.all<BudgetRow>("SELECT * FROM budgets WHERE owner_id = ? AND removed_at IS NULL ORDER BY created_at, id", ownerId);

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
export const withIds = (q: Query, ids: readonly string[]) =>
  q.all<BudgetRow>(`SELECT * FROM budgets WHERE id IN (${ids.map(() => "?").join(", ")}) ORDER BY created_at, id`, ...ids);

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<BudgetRow>("SELECT * FROM budgets WHERE id = ? AND owner_id = ? AND removed_at IS NULL", id, ownerId);

export const insert = (tx: Query, row: BudgetRow) => insertRow(tx, "budgets", row);

export const update = (tx: Query, id: string, changes: Partial<BudgetRow>) => updateRow(tx, "budgets", id, changes);
