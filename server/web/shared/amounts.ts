import { type NewBudget, newBudgets } from "../../../src/contract/accounts/budgets.ts";
import { contract } from "../../../src/contract/index.ts";
import { centsOf } from "../../../src/contract/money/amount.ts";
import { invalid } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import type { Form } from "../types.ts";

/** The least and the most that an operation takes (cents), as its field of the contract says. */
interface Limits {
  minValue: number | null;
  maxValue: number | null;
}

export const cardCredit: Limits = contract.buyCredit.body!.shape.amountCents;
export const cryptoCredit: Limits = contract.buyCreditWithCrypto.body!.unwrap().shape.amountCents.unwrap();
const budget: Limits = newBudgets().element.shape.limitCents.unwrap();

/** Whole dollars without cents, as somebody types them. */
export const leastDollars = ({ minValue }: Limits): string => String((minValue ?? 0) / 100);

/** The cents of a field with an amount; undefined for an empty one. Throws 422 for what is no amount, or one beyond the limits. */
export function centsIn(form: Form, name: string, { minValue, maxValue }: Limits): number | undefined {
  const text = form[name]?.trim() ?? "";
  if (text === "") return undefined;
  const cents = centsOf(text);
  if (cents === undefined) throw invalid(name, "is no amount in dollars, such as 20 or 20.50");
  if (minValue !== null && cents < minValue) throw invalid(name, `must be at least ${usd(minValue)}`);
  if (maxValue !== null && cents > maxValue) throw invalid(name, `must be at most ${usd(maxValue)}`);
  return cents;
}

/** The limits that were typed for what spends from an account. Throws 422 for what is no amount. */
export function budgetsIn(form: Form): NewBudget[] {
  const [perDay, perMonth, approveOver] = ["perDay", "perMonth", "approveOver"].map((name) => centsIn(form, name, budget));
  return [
    ...(perDay === undefined ? [] : [{ period: "day" as const, limitCents: perDay }]),
    ...(perMonth === undefined ? [] : [{ period: "month" as const, limitCents: perMonth }]),
    ...(approveOver === undefined ? [] : [{ period: "order" as const, approveOverCents: approveOver }]),
  ];
}
