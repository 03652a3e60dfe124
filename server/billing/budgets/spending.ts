import type { BudgetLeft } from "../../../src/contract/accounts/budgets.ts";
import type { BudgetRow } from "../../accounts/budgets/store.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import { type Caller, CommittedError } from "../../http/call.ts";
import { ApiError } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { tellRefusal } from "./alerts.ts";
import { BudgetExceeded, bindingOn, needsApproval, type Plan, plan } from "./service.ts";

/**
 * Runs what spends. A refusal by a budget is an answer that is committed, so that its owner is told of it: `work` plans before it writes.
 */
export async function withinBudgets<T>(tx: Tx, work: () => Promise<T>): Promise<T | CommittedError> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
    await tellRefusal(tx, error.exceeded, error.spent);
    return new CommittedError(error, 0);
  }
}

/** 402 for what has to be approved and is no new order: nothing else can be. */
export function refuseUnapproved(caller: Caller, binding: readonly BudgetRow[], worthCents: number): void {
  if (!needsApproval(caller, binding, worthCents)) return;
  throw new ApiError(
    "BUDGET_EXCEEDED",
    `A budget of this API key asks for approval above an amount that ${usd(worthCents)} exceeds, and only a new order can be approved. Nothing was charged. Ask the owner of the account to pay it.`,
  );
}

/** Plans to pay in: credit or a plan, which are for no order. */
export async function planPayment(q: ReadTx, caller: Caller, cents: number): Promise<Plan> {
  const binding = await bindingOn(q, caller, null);
  refuseUnapproved(caller, binding, cents);
  return plan(q, binding, { cents, minutes: 0, slots: 0, worthCents: cents });
}

/** What a reply says of the budgets that counted it: nothing without any. */
export const toldOf = (budgets: readonly BudgetLeft[]) => (budgets.length > 0 ? { budgets: [...budgets] } : {});
