import type { Deps } from "../deps.ts";
import { hasLapsed, statusAt } from "../domain/payments.ts";
import { conflict } from "../problem.ts";
import type { Query } from "../store/db.ts";
import type { PaymentRow } from "../store/payments.ts";
import { cancelPayment, declinePayment, disputePayment, payPayment } from "./settle.ts";

export type CheckoutOutcome = "paid" | "declined" | "cancelled" | "disputed";

/** What a person would do at a sandbox checkout; 409 where that is over (decisions §13). */
export async function actAtCheckout(deps: Deps, tx: Query, payment: PaymentRow, outcome: CheckoutOutcome): Promise<void> {
  if (payment.provider !== "sandbox")
    throw conflict(`A payment by ${payment.provider} has no sandbox checkout. Nothing was changed.`);
  if (outcome === "disputed") return disputePayment(deps, tx, payment);
  const now = deps.clock.now();
  const status = statusAt(payment, now);
  const lateSuccess = outcome === "paid" && hasLapsed(payment, now);
  if (status !== "pending" && !lateSuccess)
    throw conflict(`This payment is ${status}: its checkout is over. Nothing was changed.`);
  const act = { paid: payPayment, declined: declinePayment, cancelled: cancelPayment }[outcome];
  await act(deps, tx, payment);
}
