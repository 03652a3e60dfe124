import { pages } from "../../src/contract/pages/addresses.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import { emit } from "../events/emit.ts";
import { mailUserAbout } from "../events/event-mails.ts";
import { invalid, notConfigured } from "../lib/api-error.ts";
import { sha256 } from "../lib/secrets.ts";
import type { CardProcessor } from "./cards/processor.ts";
import type { Period } from "./invoices/rules.ts";
import { issueInvoice } from "./invoices/service.ts";
import { paymentFailedLetter, receiptLetter } from "./letters.ts";
import { type Granted, howToPay, isReturnable } from "./rules.ts";
import * as payments from "./store.ts";

/** 503 on a server without payments. What was paid or promised before is still settled. */
export function requirePayments({ config }: Pick<Deps, "config">): void {
  if (!config.payments.enabled) throw notConfigured("This server runs without payments. Nothing was started or charged.");
}

/** The card processor. 503 if none is configured. */
export function requireCards(deps: Deps, granted: Granted = "credit"): CardProcessor {
  if (deps.cards) return deps.cards;
  throw notConfigured(
    `This server does not accept cards. Nothing was started or charged. ${howToPay(granted, deps.chains.pairs)}`,
  );
}

export function requireReturnable(returnUrl: string | undefined): void {
  if (returnUrl !== undefined && !isReturnable(returnUrl))
    throw invalid("returnUrl", "must be an https URL, or an http URL on localhost");
}

export interface NewCheckout {
  ownerId: string;
  amountCents: number;
  description: string;
  purpose: payments.PaymentRow["purpose"];
  playtestId?: string;
  subscriptionId?: string;
  returnUrl?: string | undefined;
}

/**
 * Starts a card payment: creates a pending payment, the URL of its checkout, and the job that cancels it if it is not paid in time.
 * 503 without a card processor.
 */
export async function openCheckout(
  deps: Deps,
  tx: Tx,
  checkout: NewCheckout,
): Promise<{ payment: payments.PaymentRow; checkoutUrl: string }> {
  const now = tx.now;
  const token = tx.randomBytes(32).toString("base64url");
  const payment = payments.insert(tx, {
    id: tx.newId(),
    owner_id: checkout.ownerId,
    amount_cents: checkout.amountCents,
    status: "pending",
    provider: requireCards(deps).name,
    external_id: `cs_${tx.randomBytes(16).toString("hex")}`,
    purpose: checkout.purpose,
    playtest_id: checkout.playtestId,
    subscription_id: checkout.subscriptionId,
    return_url: checkout.returnUrl,
    description: checkout.description,
    checkout_hash: sha256(token),
    expires_at: now + deps.config.checkout.expireMs,
    created_at: now,
    updated_at: now,
  });
  await lapse(tx, payment.id, payment.expires_at!);
  return { payment, checkoutUrl: `${deps.config.baseUrl}${pages.checkout(token)}` };
}

/** Cancels the payment at a time in milliseconds, unless it has ended by then. The earliest such time counts. */
export const lapse = (tx: Tx, paymentId: string, runAt: number): Promise<void> =>
  tx.schedule({ kind: "lapse-payment", key: paymentId, payload: { paymentId }, runAt });

/** Issues the invoice of a payment that just completed, and sends its owner a receipt. */
export async function announcePaid(tx: Tx, payment: payments.PaymentRow, period?: Period): Promise<void> {
  await emitPayment(tx, "payment.completed", payment);
  const invoice = await issueInvoice(tx, payment, period);
  await mailUserAbout(tx, payment.owner_id, "payment.completed", (zone) =>
    receiptLetter({ ...aboutOf(tx, payment), invoice, paidAt: tx.now, zone }),
  );
}

/** Tells the owner that a payment failed. */
export async function announceFailed(tx: Tx, payment: payments.PaymentRow): Promise<void> {
  await emitPayment(tx, "payment.failed", payment);
  // A renewal that fails has an email of its own.
  if (payment.purpose === "subscription") return;
  await mailUserAbout(tx, payment.owner_id, "payment.failed", paymentFailedLetter(aboutOf(tx, payment)));
}

const aboutOf = ({ config }: Tx, { id: paymentId, amount_cents: cents, description }: payments.PaymentRow) => ({
  config,
  paymentId,
  cents,
  description,
});

const emitPayment = (tx: Tx, kind: "payment.completed" | "payment.failed", payment: payments.PaymentRow) =>
  emit(tx, [{ id: payment.owner_id, role: "game_owner" }], {
    kind,
    data: {
      paymentId: payment.id,
      amountCents: payment.amount_cents,
      status: kind === "payment.completed" ? "completed" : "failed",
      provider: payment.provider,
    },
    notice: { amountCents: payment.amount_cents },
  });
