import { budgetText } from "../../../src/contract/accounts/budget-text.ts";
import type { BudgetRow } from "../../accounts/budgets/store.ts";
import type { Tx } from "../../app/tx.ts";
import { emit } from "../../events/emit.ts";
import { mailUserAbout } from "../../events/event-mails.ts";
import { usd } from "../../lib/money.ts";
import { budgetRefusedLetter, budgetSpentLetter } from "../letters.ts";
import { type Amounts, bitsUpTo, leftOf, refusedBit, thresholdOf, windowStart } from "./rules.ts";
import * as store from "./store.ts";

/** What the owner is told about a budget: once for each share of it, and once for a refusal, in each window. */

type Window = Pick<store.UseRow, "budget_id" | "starts_at">;

const dataOf = (tx: Tx, budget: BudgetRow, spent: Amounts) => {
  const { id: budgetId, approveOverCents: _, ...counted } = leftOf(budget, spent, tx.now);
  return { budgetId, ...counted };
};

const alertedIn = async (tx: Tx, window: Window) => (await store.usesOf(tx, [window]))[0]?.alerted ?? 0;

/** Tells that 50, 80 or 100 percent of a budget are spent. */
export async function tellThreshold(tx: Tx, budget: BudgetRow, window: Window, spent: Amounts): Promise<void> {
  const threshold = thresholdOf(budget, spent);
  const alerted = await alertedIn(tx, window);
  if (!threshold || (alerted & threshold.bit) !== 0) return;
  await store.setAlerted(tx, window, alerted | bitsUpTo(threshold));
  const { percent } = threshold;
  const text = budgetText(leftOf(budget, spent, tx.now), usd);
  await emit(tx, [{ id: budget.owner_id, role: "game_owner" }], {
    kind: "budget.threshold",
    data: { ...dataOf(tx, budget, spent), percent },
    notice: { budget: text, percent },
  });
  await mailUserAbout(tx, budget.owner_id, "budget.threshold", budgetSpentLetter({ config: tx.config, budget: text, percent }));
}

/** Tells that a budget refused something, the first time in its window. An order that is too large by itself is not told of. */
export async function tellRefusal(tx: Tx, budget: BudgetRow, spent: Amounts): Promise<void> {
  if (budget.period === "order") return;
  const window = { budget_id: budget.id, starts_at: windowStart(budget.period, tx.now) };
  const alerted = await alertedIn(tx, window);
  if ((alerted & refusedBit) !== 0) return;
  await store.add(tx, window, { cents: 0, minutes: 0, slots: 0 }, true);
  await store.setAlerted(tx, window, alerted | refusedBit);
  const text = budgetText(leftOf(budget, spent, tx.now), usd);
  await emit(tx, [{ id: budget.owner_id, role: "game_owner" }], {
    kind: "budget.exceeded",
    data: dataOf(tx, budget, spent),
    notice: { budget: text },
  });
  await mailUserAbout(tx, budget.owner_id, "budget.exceeded", budgetRefusedLetter({ config: tx.config, budget: text }));
}
