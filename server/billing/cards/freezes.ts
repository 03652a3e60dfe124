import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { conflict, forbidden } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import * as reversals from "../reversals-store.ts";
import type { PaymentRow } from "../store.ts";
import { announceEnd } from "./dispute-notices.ts";

/**
 * A dispute freezes its owner: no order is placed or begins, however it is paid, until the dispute is won or an administrator lifts the
 * freeze. Money still arrives and pays what is owed, and playtests that were paid before go on.
 */
export const isFrozen = async (q: Query, ownerId: string): Promise<boolean> =>
  (await reversals.freezingOf(q, ownerId)) !== undefined;

/** 403 while a dispute freezes this owner. */
export async function requireUnfrozen(q: Query, ownerId: string): Promise<void> {
  const dispute = await reversals.freezingOf(q, ownerId);
  if (!dispute) return;
  throw forbidden(
    `Your payment ${dispute.payment_id} is disputed (${usd(dispute.cents)}), so you cannot order until the dispute has ended. Nothing was ordered or charged. Contact the operator of this server.`,
  );
}

/** Ends the freeze that came with the disputes of a payment. What was taken stays taken. 409 when none of them freezes. */
export async function liftDisputes(tx: Tx, payment: PaymentRow): Promise<void> {
  const lifted = await reversals.lift(tx, payment.id, tx.now);
  if (lifted.length === 0) throw conflict("No open dispute of this payment freezes anything. Nothing was changed.");
  const cents = lifted.reduce((sum, dispute) => sum + dispute.cents, 0);
  await announceEnd(tx, payment, { cents, outcome: "lifted" });
}
