import type { Tx } from "../../app/tx.ts";
import { accounts } from "../../ledger/rules.ts";
import { balance } from "../../ledger/store.ts";
import { reclaim } from "../budgets/service.ts";
import { type Obstacle, payOrder } from "../pay-order.ts";
import { announcePaid } from "../payments.ts";
import * as payments from "../store.ts";
import * as crypto from "./store.ts";

interface Credited {
  txHash: string;
  cents: number;
  /** Posts the credit. `settles` cents of it pay a debt from a chargeback. */
  credit(payment: payments.PaymentRow, settles: number): Promise<void>;
}

/**
 * Marks a quote as paid: completes its payment, posts the credit, and pays its order, if there is one. Returns why the order cannot
 * begin, if it cannot: the money then stays in the owner's credit.
 */
export async function completeQuote(
  tx: Tx,
  quote: crypto.QuoteRow,
  { txHash, cents, credit }: Credited,
): Promise<Obstacle | undefined> {
  await crypto.setPaid(tx, quote.id);
  const payment = (await payments.find(tx, quote.payment_id))!;
  const now = tx.now;
  await payments.complete(tx, payment, now);
  await payments.setReceived(tx, payment.id, txHash, cents);
  await reclaim(tx, payment.id);
  const { playtest_id: playtestId, amount_cents: amountCents } = quote;
  // The order's price is needed for the order, so only the amount beyond it can pay a debt.
  const spare = cents - (playtestId === null ? 0 : amountCents);
  await credit(payment, Math.min(await balance(tx, accounts.receivable(payment.owner_id)), spare));
  await announcePaid(tx, { ...payment, external_id: txHash, amount_cents: cents, completed_at: now });
  if (playtestId === null) return undefined;
  return payOrder(tx, payment, { playtest_id: playtestId, amount_cents: amountCents });
}
