/**
 * What a budget counts: each order by itself, all of a UTC day or month, or everything since it was set. Apart from the budgets, because the
 * command knows the periods at every start, and no start loads zod.
 */
export const budgetPeriods = ["order", "day", "month", "total"] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];
