import { parseInteger, parseMoney } from "../../../cli/flags.ts";
import { type BudgetPeriod, budgetPeriods } from "../../../contract/accounts/budget-periods.ts";
import type { NewBudget } from "../../../contract/accounts/budgets.ts";
import { usage } from "../../../errors.ts";

const form = /^(.+)\/(\w+)$/;
const counted = /^(\d+) ?(min|minutes?|slots?)$/;
const help = "Examples: 50/day, 200/month, 20/order, 120min/month, 5slots/day.";

/** `50/day`: a limit in dollars, or in `min` or `slots`, and what it counts. */
export function parseBudget(text: string, label: string): NewBudget {
  const [, amount = "", word] = form.exec(text.trim()) ?? [];
  const period = budgetPeriods.find((one) => one === word);
  if (period === undefined) throw usage(`${label}: ${JSON.stringify(text)} is not a limit and a period. ${help}`);
  const [, number, unit] = counted.exec(amount) ?? [];
  if (number === undefined) return { period, limitCents: parseMoney(amount, label) };
  return { period, [unit!.startsWith("min") ? "limitMinutes" : "limitSlots"]: parseInteger(number, label, 0) };
}

/** Limits of one period are one budget; the approval stands with the limit of an order. */
export function combineBudgets(given: readonly NewBudget[], approveOverCents: number | undefined): NewBudget[] {
  const byPeriod = new Map<BudgetPeriod, NewBudget>();
  const all = approveOverCents === undefined ? given : [...given, { period: "order" as const, approveOverCents }];
  for (const one of all) byPeriod.set(one.period, { ...byPeriod.get(one.period), ...one });
  return [...byPeriod.values()];
}
