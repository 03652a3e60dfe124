import type { NewBudget } from "../../../src/contract/accounts/budgets.ts";
import { addBudget, limitsOf } from "../../accounts/budgets/service.ts";
import * as budgetStore from "../../accounts/budgets/store.ts";
import * as keys from "../../accounts/keys-store.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import * as games from "../../games/store.ts";
import { type Caller, Existing, type Handlers } from "../../http/call.ts";
import { invalid, notFound } from "../../lib/api-error.ts";
import { iso } from "../../lib/time.ts";
import { bitsUpTo, nothing, thresholdOf, windowStart } from "./rules.ts";
import { leftOfAll } from "./service.ts";
import * as store from "./store.ts";

type Budget = budgetStore.BudgetRow;

/** Budgets as the API shows them to a caller. */
async function viewsOf(q: ReadTx, caller: Caller, list: readonly Budget[]) {
  const own = new Set((await budgetStore.ofCaller(q, caller)).map(({ id }) => id));
  const left = await leftOfAll(q, list);
  return list.map(({ id, created_at }, at) => ({ ...left[at]!, applies: own.has(id), createdAt: iso(created_at) }));
}

async function checkCounted(
  tx: Tx,
  ownerId: string,
  { keyId, gameId }: { keyId?: string | undefined; gameId?: string | undefined },
) {
  if (keyId !== undefined && !(await keys.findLive(tx, keyId, ownerId, tx.now)))
    throw invalid("keyId", "is not the id of one of your API keys that work");
  if (gameId !== undefined && !(await games.findForOwner(tx, gameId, ownerId)))
    throw invalid("gameId", "is not the id of one of your games");
}

/** Gives a budget other limits. What was spent stays; its owner is told again of what is spent of the new limits from here on. */
async function change(tx: Tx, before: Budget, given: NewBudget): Promise<Budget> {
  const changes = { ...limitsOf(given), updated_at: tx.now };
  await budgetStore.update(tx, before.id, changes);
  const after = { ...before, ...changes };
  const window = { budget_id: after.id, starts_at: windowStart(after.period, tx.now) };
  const [spent = nothing] = await store.usesOf(tx, [window]);
  await store.setAlerted(tx, window, bitsUpTo(thresholdOf(after, spent)));
  return after;
}

export const budgets = {
  listBudgets: (call) =>
    call.read(async (q) => ({
      budgets: await viewsOf(q, call.principal, await budgetStore.listForOwner(q, call.principal.userId)),
    })),

  setBudget: (call) =>
    call.commit(async (tx, trail) => {
      const { keyId, gameId, ...given } = call.body;
      const ownerId = call.principal.userId;
      await checkCounted(tx, ownerId, { keyId, gameId });
      const counted = { key_id: keyId ?? null, game_id: gameId ?? null };
      const all = await budgetStore.listForOwner(tx, ownerId);
      const before = all.find(
        (one) => one.key_id === counted.key_id && one.game_id === counted.game_id && one.period === given.period,
      );
      if (before) await trail.changing(before.id);
      const row = before ? await change(tx, before, given) : await addBudget(tx, ownerId, counted, given);
      if (!before) trail.created(row.id);
      const [budget] = await viewsOf(tx, call.principal, [row]);
      return before ? new Existing({ budget: budget! }) : { budget: budget! };
    }),

  removeBudget: (call) =>
    call.commit(async (tx) => {
      const row = await budgetStore.findForOwner(tx, call.params.id, call.principal.userId);
      if (!row) throw notFound();
      const [budget] = await viewsOf(tx, call.principal, [row]);
      await budgetStore.update(tx, row.id, { removed_at: tx.now, updated_at: tx.now });
      return { budget: { ...budget!, applies: false } };
    }),
} satisfies Partial<Handlers>;
