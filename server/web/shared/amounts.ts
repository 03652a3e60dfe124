import { centsOf } from "../../../src/contract/money/amount.ts";
import { invalid } from "../../lib/api-error.ts";
import type { Form } from "../types.ts";

/** The cents of a field with an amount; undefined for an empty one. Throws 422 for what is no amount. */
export function centsIn(form: Form, name: string): number | undefined {
  const text = form[name]?.trim() ?? "";
  if (text === "") return undefined;
  const cents = centsOf(text);
  if (cents === undefined) throw invalid(name, "is no amount in dollars, such as 20 or 20.50");
  return cents;
}
