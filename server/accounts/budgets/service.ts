import type { NewBudget } from "../../../src/contract/accounts/budgets.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import type { Principal } from "../../http/call.ts";
import { forbidden } from "../../lib/api-error.ts";
import * as store from "./store.ts";

/** 403 for a caller whose key a budget limits: what it asks for would let the key out of that budget. */
export async function refuseBudgeted(q: ReadTx, caller: Principal): Promise<void> {
  if (!(await store.isBudgeted(q, caller))) return;
  throw forbidden("An API key with a budget cannot do this. Nothing was changed. Use a key without one, or sign in to Studio.");
}

/** What a budget counts. Null: of any. */
export type Counted = Pick<store.BudgetRow, "key_id" | "game_id">;

/** Sets a budget of an account for the first time. */
export async function addBudget(tx: Tx, ownerId: string, counted: Counted, given: NewBudget): Promise<store.BudgetRow> {
  const about = { id: tx.newId(), owner_id: ownerId, ...counted, period: given.period };
  const row: store.BudgetRow = { ...about, ...limitsOf(given), created_at: tx.now, updated_at: tx.now, removed_at: null };
  await store.insert(tx, row);
  return row;
}

export const limitsOf = (given: NewBudget) => ({
  limit_cents: given.limitCents ?? null,
  limit_minutes: given.limitMinutes ?? null,
  limit_slots: given.limitSlots ?? null,
  approve_over_cents: given.approveOverCents ?? null,
});
