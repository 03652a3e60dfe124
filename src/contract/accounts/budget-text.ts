import { plural } from "../text/plural.ts";
import type { BudgetLeft } from "./budgets.ts";

const beginnings = { order: "At most in one order", day: "Left today", month: "Left this month", total: "Left in all" } as const;

/** What is left of a budget, as a sentence without its end: `Left today: $30.00 of $50.00`. `usd` writes cents. */
export function budgetText(budget: BudgetLeft, usd: (cents: number) => string): string {
  const { period } = budget;
  const part = (limit: number | null, spent: number, write: (n: number) => string, unit = "") => {
    if (limit === null) return [];
    return [period === "order" ? write(limit) + unit : `${write(Math.max(0, limit - spent))} of ${write(limit)}${unit}`];
  };
  const parts = [
    ...part(budget.limitCents, budget.spentCents, usd),
    ...part(budget.limitMinutes, budget.spentMinutes, String, " playtest minutes"),
    ...part(budget.limitSlots, budget.spentSlots, String, ` ${plural(budget.limitSlots ?? 0, "slot").split(" ")[1]}`),
  ];
  const approval = budget.approveOverCents === null ? [] : [`orders over ${usd(budget.approveOverCents)} wait for approval`];
  const limits = parts.length > 0 ? [`${beginnings[period]}: ${parts.join(", ")}`] : [];
  const text = [...limits, ...approval].join("; ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
