import type { BudgetLeft } from "../../src/contract/accounts/budgets.ts";
import { type Host, ifPermitted } from "./host.ts";

/** The budgets that count what the API key in use spends. None on a server without budgets. */
export async function budgetsOf(host: Host): Promise<BudgetLeft[]> {
  const found = await ifPermitted(host, host.call("listBudgets"));
  return (found?.data.budgets ?? []).filter(({ applies }) => applies);
}

/**
 * Whether the server keeps a limit on all that the API key can spend. One for each order, for some game, or of hours alone leaves
 * something without a limit.
 */
export const isBounded = (budgets: readonly BudgetLeft[]): boolean =>
  budgets.some(
    ({ period, gameId, limitCents, limitSlots }) =>
      period !== "order" && gameId === null && (limitCents !== null || limitSlots !== null),
  );
