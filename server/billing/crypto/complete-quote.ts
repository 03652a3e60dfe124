import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { accounts } from "../../ledger/rules.ts";
import { balance } from "../../ledger/store.ts";
import { emitPayment } from "../payments.ts";
import * as payments from "../store.ts";
import * as crypto from "./store.ts";

interface Credited {
  txHash: string;
  cents: number;
  /** Posts the credit. `settles` cents of it pay a debt from a chargeback. */
  credit(payment: payments.PaymentRow, settles: number): Promise<void>;
}

/**
 * Marks a quote as paid: completes its payment, posts the credit, and pays its order, if there is one. False when the order had ended;
 * the money then stays in the owner's credit.
 */
export async function completeQuote(
  deps: Deps,
  tx: Query,
  quote: crypto.QuoteRow,
  { txHash, cents, credit }: Credited,
): Promise<boolean> {
  await crypto.setPaid(tx, quote.id);
  const payment = (await payments.find(tx, quote.payment_id))!;
  await payments.complete(tx, payment, deps.clock.now());
  await payments.setReceived(tx, payment.id, txHash, cents);
  const { playtest_id: playtestId, payment_id: paymentId, amount_cents: amountCents } = quote;
  // The order's price is needed for the order, so only the amount beyond it can pay a debt.
  const spare = cents - (playtestId === null ? 0 : amountCents);
  await credit(payment, Math.min(await balance(tx, accounts.receivable(payment.owner_id)), spare));
  await emitPayment(deps, tx, "payment.completed", { ...payment, amount_cents: cents });
  if (playtestId === null) return true;
  if (!(await deps.paidOrders.awaitsPayment(deps, tx, playtestId))) {
    await payments.flag(tx, payment.id, "the order had ended when it was paid; the amount was credited");
    return false;
  }
  await deps.paidOrders.onPaid(deps, tx, { playtestId, paymentId, amountCents });
  return true;
}
