import type { Context } from "../../../cli/define.ts";
import { budgetText } from "../../../contract/accounts/budget-text.ts";
import type { BudgetLeft } from "../../../contract/accounts/budgets.ts";
import { usd } from "../../../io/text.ts";

/** Says on standard error what is left of the budgets that something counts against. */
export function noteBudgets(ctx: Context, budgets: readonly BudgetLeft[] | undefined): void {
  for (const budget of budgets ?? []) ctx.out.note(`Budget: ${budgetText(budget, usd)}.`);
}
