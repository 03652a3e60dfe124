import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { unavailable } from "../../lib/problem.ts";
import { takeDisputeFee, takeFee } from "../fees.ts";
import { cancelPayment, payPayment } from "../settle.ts";
import * as payments from "../store.ts";
import { failRefund, takeDispute, takeRefund, winDispute } from "./disputes.ts";
import type { ChargeState, DisputeState, HostedCards, ProcessorEvent, SessionState } from "./processor.ts";

/**
 * Payments at a processor's own checkout page. What it reports is only a hint where to look: each step reads the object's
 * state at the processor first, so reports may come twice, late and out of order.
 */

/** The processor with a page of its own that this payment is at; undefined for one paid on our page. */
export function hostOf(deps: Deps, payment: payments.PaymentRow): HostedCards | undefined {
  if (payment.provider !== "stripe") return undefined;
  if (deps.cards?.name === "stripe") return deps.cards;
  throw unavailable("The card processor of this checkout is no longer configured. Nothing was charged.", 3600);
}

const halfHour = 30 * 60_000;

/** Opens the processor's page for a pending payment; its address. */
export async function openHosted(deps: Deps, host: HostedCards, payment: payments.PaymentRow, ownUrl: string): Promise<string> {
  const owner = (await deps.store.read((q) => users.find(q, payment.owner_id)))!;
  const lastHalfHour = payment.expires_at! - deps.clock.now() < halfHour + 60_000;
  const { url, reference } = await host.openSession({
    paymentId: payment.id,
    reference: payment.external_id,
    amountCents: payment.amount_cents,
    description: payment.description ?? "Playtest credit",
    email: owner.email,
    // The processor's pages stay open for half an hour at least; whoever pays late is credited all the same.
    expiresAt: payment.expires_at! + (lastHalfHour ? halfHour + 60_000 : 0),
    saveCard: payment.purpose === "subscription",
    doneUrl: `${ownUrl}/done`,
    leftUrl: `${ownUrl}/left`,
  });
  if (reference !== payment.external_id) await deps.store.write((tx) => payments.setReference(tx, payment.id, reference));
  return url;
}

/** Books what the processor says of a payment's session now. */
export async function refresh(deps: Deps, host: HostedCards, payment: payments.PaymentRow): Promise<void> {
  const session = await host.lookUp(payment.external_id);
  if (session) await deps.store.write((tx) => book(deps, tx, session));
}

/** Makes sure that nobody pays any more, then cancels; what was paid in the meantime counts. */
export async function closeHosted(deps: Deps, host: HostedCards, payment: payments.PaymentRow): Promise<void> {
  const session = await host.closeSession(payment.external_id);
  await deps.store.write(async (tx) => {
    if (session?.state === "paid") return book(deps, tx, session);
    const current = await payments.find(tx, payment.id);
    if (current) await cancelPayment(deps, tx, current);
  });
}

/** Acts on a processor's message, once. */
export async function takeEvent(deps: Deps, host: HostedCards, event: ProcessorEvent): Promise<void> {
  const act = event.about && (await lookAt(deps, host, event.about));
  if (!act) return;
  await deps.store.write(async (tx) => {
    const seen = { provider: host.name, id: event.id, kind: event.kind, now: deps.clock.now() };
    if (await payments.recordEvent(tx, seen)) await act(tx);
  });
}

/** Asks the processor what it is about as it is now; what is to be booked of it. */
async function lookAt(deps: Deps, host: HostedCards, about: NonNullable<ProcessorEvent["about"]>) {
  if ("session" in about) {
    const session = await host.lookUp(about.session);
    return session && ((tx: Query) => book(deps, tx, session));
  }
  if ("dispute" in about) {
    const dispute = await withSession(deps, host, await host.lookUpDispute(about.dispute));
    return (tx: Query) => bookDispute(deps, tx, dispute);
  }
  const charge = await withSession(deps, host, await host.lookUpCharge(about.charge));
  return (tx: Query) => bookCharge(deps, tx, charge);
}

async function book(deps: Deps, tx: Query, session: SessionState): Promise<void> {
  const payment = await findStripe(tx, session.paymentId);
  if (!payment || session.state === "open") return;
  if (session.state === "ended") return void (await cancelPayment(deps, tx, payment));
  if (session.amountCents !== payment.amount_cents || session.currency !== "usd") {
    deps.log.error(
      { payment: payment.id, session: session.reference },
      "a checkout session was paid with a different amount: not credited",
    );
    return void (await payments.flag(
      tx,
      payment.id,
      `paid ${session.amountCents} ${session.currency}, which is not the amount due`,
    ));
  }
  await payments.setReference(tx, payment.id, session.reference);
  await payPayment(deps, tx, payment, session.card);
  await takeFee(deps, tx, payment, session.feeCents);
}

/** What a Stripe account is used for besides is none of our business. */
async function findStripe(q: Query, paymentId: string | null): Promise<payments.PaymentRow | undefined> {
  const payment = paymentId === null ? undefined : await payments.find(q, paymentId);
  return payment?.provider === "stripe" ? payment : undefined;
}

interface Reversal {
  paymentId: string | null;
  /** What is known of the payment's session, where the reversal came before the payment was booked. */
  session: SessionState | undefined;
}

/** A dispute or a refund can be reported before the payment it is about: then that is looked up too. */
async function withSession<T extends { paymentId: string | null }>(
  deps: Deps,
  host: HostedCards,
  found: T,
): Promise<T & Reversal> {
  const payment = await deps.store.read((q) => findStripe(q, found.paymentId));
  const session = payment && !isBooked(payment) ? await host.lookUp(payment.external_id) : undefined;
  return { ...found, session };
}

const isBooked = ({ status }: payments.PaymentRow) => status === "completed" || status === "disputed" || status === "refunded";

/** The payment that money went back of; undefined for one of somebody else's. */
async function findReversed(deps: Deps, tx: Query, { paymentId, session }: Reversal): Promise<payments.PaymentRow | undefined> {
  if (session) await book(deps, tx, session);
  const payment = await findStripe(tx, paymentId);
  if (!payment || isBooked(payment)) return payment;
  // Paid with another amount: flagged, and never credited.
  if (session?.state === "paid") return undefined;
  // A renewal that is being charged, or a session whose name was lost in a crash: the report must come again after it.
  throw unavailable("The payment of this event is not recorded yet. Nothing was changed. Send the event again.", 60);
}

async function bookDispute(deps: Deps, tx: Query, dispute: DisputeState & Reversal): Promise<void> {
  const payment = dispute.state === "inquiry" ? undefined : await findReversed(deps, tx, dispute);
  if (!payment) return;
  const { id, amountCents } = dispute;
  if (dispute.state === "won") await winDispute(deps, tx, payment, id);
  else await takeDispute(deps, tx, payment, { id, cents: amountCents ?? payment.amount_cents });
  await takeDisputeFee(deps, tx, payment, dispute);
}

async function bookCharge(deps: Deps, tx: Query, charge: ChargeState & Reversal): Promise<void> {
  const { paidCents, feeCents, refunds } = charge;
  if (paidCents === null) return;
  await bookLostRenewal(deps, tx, charge);
  const payment = await findReversed(deps, tx, charge);
  if (!payment) return;
  await takeFee(deps, tx, payment, feeCents);
  for (const { id, cents, state } of refunds)
    await (state === "failed" ? failRefund(deps, tx, payment, id) : takeRefund(deps, tx, payment, { id, cents }));
}

/** A renewal has no session: where the answer to its charge was lost and nobody asks again, only this tells that it was paid. */
async function bookLostRenewal(deps: Deps, tx: Query, { paymentId, paidCents }: ChargeState): Promise<void> {
  const payment = await findStripe(tx, paymentId);
  const isRenewal = payment?.purpose === "subscription" && payment.checkout_hash === null;
  if (isRenewal && !isBooked(payment) && payment.amount_cents === paidCents) await payPayment(deps, tx, payment);
}
