import type { Tx } from "../app/tx.ts";
import { enterAsCredit } from "./budgets/service.ts";
import { isFrozen } from "./cards/freezes.ts";
import { settleOwedCredit } from "./debts.ts";
import * as payments from "./store.ts";

interface Due {
  playtest_id: string | null;
  amount_cents: number;
}

/** Why an order that was paid cannot begin: it had ended or was paid before, or a dispute froze its owner. The deposits of crypto payments keep it. */
export type Obstacle = "order_over" | "frozen";

const flags: Record<Obstacle, string> = {
  order_over: "the order had ended, or had been paid before, when it was paid; the amount was credited",
  frozen: "a disputed payment froze the owner when the order was paid; the amount was credited",
};

/**
 * Pays an order from the credit that its payment just added. If it cannot begin, the owner keeps the credit less what they owe, and the
 * payment is flagged.
 */
export async function payOrder(tx: Tx, payment: payments.PaymentRow, due: Due): Promise<Obstacle | undefined> {
  const [paymentId, playtestId] = [payment.id, due.playtest_id!];
  const obstacle = await obstacleOf(tx, payment.owner_id, playtestId);
  if (obstacle) {
    await payments.flag(tx, paymentId, flags[obstacle], tx.now);
    // Under a key of its own: the payment settled already what it brought beyond the price.
    const cause = { id: `order:${paymentId}`, paymentId };
    await settleOwedCredit(tx, payment.owner_id, due.amount_cents, cause);
    await enterAsCredit(tx, playtestId, { paymentId, cents: due.amount_cents });
  } else await tx.paidOrders.onPaid(tx, { playtestId, paymentId, amountCents: due.amount_cents });
  return obstacle;
}

/** Why an order cannot begin when it is paid now. Undefined if it can. */
export async function obstacleOf(tx: Tx, ownerId: string, playtestId: string): Promise<Obstacle | undefined> {
  if (!(await tx.paidOrders.awaitsPayment(tx, playtestId))) return "order_over";
  return (await isFrozen(tx, ownerId)) ? "frozen" : undefined;
}
