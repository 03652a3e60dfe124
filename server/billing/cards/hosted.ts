import { pages } from "../../../src/contract/pages/addresses.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { notConfigured, unavailable } from "../../lib/api-error.ts";
import { takeDisputeFee, takeFee } from "../fees.ts";
import { isByCard } from "../rules.ts";
import { cancelPayment, payPayment } from "../settle.ts";
import * as payments from "../store.ts";
import { failRefund, takeDispute, takeRefund, winDispute } from "./disputes.ts";
import type { ChargeState, DisputeState, HostedCards, ProcessorEvent, SessionState } from "./processor.ts";

/** The hosted payments of the payment's processor. Undefined if it is paid on a page of this server. 503 if it is not configured anymore. */
export function hostedOf(deps: Deps, payment: payments.PaymentRow): HostedPayments | undefined {
  if (payment.provider === "sandbox" || !isByCard(payment)) return undefined;
  const { cards } = deps;
  if (cards?.page === "hosted" && cards.name === payment.provider) return new HostedPayments(deps, cards);
  throw notConfigured(
    "The card processor of this checkout is no longer configured, so it is not known whether a payment was made.",
  );
}

const minute = 60_000;
/** How long the processor keeps a page open at least, and at most, from when it is created. */
const shortestMs = 30 * minute;
const longestMs = 24 * 60 * minute;
/** How far the processor's clock may be from ours. */
const skewMs = minute;

const isBooked = ({ status }: payments.PaymentRow) => status === "completed" || status === "disputed" || status === "refunded";

interface Reversal {
  paymentId: string | null;
  /** The state of the payment's session, if the payment was not recorded as paid when the reversal was reported. */
  session: SessionState | undefined;
}

/**
 * Payments on the checkout page of a card processor. Webhooks only say which object changed: each step fetches the object's current
 * state from the processor first, so webhooks can arrive twice, late or out of order.
 */
export class HostedPayments {
  readonly #deps: Deps;
  readonly #host: HostedCards;

  constructor(deps: Deps, host: HostedCards) {
    this.#deps = deps;
    this.#host = host;
  }

  /** Opens the processor's checkout page for a pending payment and returns its URL. `token`: that of our own page, where it leads back. */
  async open(payment: payments.PaymentRow, token: string): Promise<string> {
    const { store, clock, config } = this.#deps;
    const owner = (await store.read((q) => users.find(q, payment.owner_id)))!;
    // By the times of the payment, not by the clock, because every attempt has to ask for the same.
    const end = Math.min(payment.expires_at!, payment.created_at + longestMs - skewMs);
    const isLate = end - clock.now() < shortestMs + skewMs;
    const { url, reference } = await this.#host.openSession({
      paymentId: payment.id,
      reference: payment.external_id,
      amountCents: payment.amount_cents,
      description: payment.description ?? "Playtest credit",
      email: owner.email,
      // Late payments are credited too.
      expiresAt: isLate ? payment.expires_at! + shortestMs + skewMs : end,
      saveCard: payment.purpose === "subscription",
      doneUrl: config.baseUrl + pages.paid(token),
      leftUrl: config.baseUrl + pages.notPaid(token),
    });
    if (reference !== payment.external_id) await store.write((tx) => payments.setReference(tx, payment.id, reference));
    return url;
  }

  /** Fetches the payment's session from the processor and records its state. */
  async refresh(payment: payments.PaymentRow): Promise<void> {
    const session = await this.#host.lookUp(payment.external_id);
    if (session) await this.#deps.store.write((tx) => this.#book(tx, session));
  }

  /** Closes the session at the processor, then cancels the payment. If it was paid in the meantime, it is completed instead. */
  async close(payment: payments.PaymentRow): Promise<void> {
    const session = await this.#host.closeSession(payment.external_id);
    await this.#deps.store.write(async (tx) => {
      if (session?.state === "paid") return this.#book(tx, session);
      const current = await payments.find(tx, payment.id);
      if (current) await cancelPayment(tx, current);
    });
  }

  /** Handles a webhook event of the processor. Each event is handled only once. */
  async take(event: ProcessorEvent): Promise<void> {
    const { store, clock } = this.#deps;
    const act = event.about && (await this.#lookAt(event.about));
    if (!act) return;
    await store.write(async (tx) => {
      const seen = { provider: this.#host.name, event_id: event.id, kind: event.kind, received_at: clock.now() };
      if (await payments.recordEvent(tx, seen)) await act(tx);
    });
  }

  /** Fetches the current state of the event's object from the processor. Returns a function that records it. */
  async #lookAt(about: NonNullable<ProcessorEvent["about"]>) {
    const host = this.#host;
    if ("session" in about) {
      const session = await host.lookUp(about.session);
      return session && ((tx: Tx) => this.#book(tx, session));
    }
    if ("dispute" in about) {
      const dispute = await this.#withSession(await host.lookUpDispute(about.dispute));
      return (tx: Tx) => this.#bookDispute(tx, dispute);
    }
    const charge = await this.#withSession(await host.lookUpCharge(about.charge));
    return (tx: Tx) => this.#bookCharge(tx, charge);
  }

  async #book(tx: Tx, session: SessionState): Promise<void> {
    const deps = this.#deps;
    const payment = await this.#find(tx, session.paymentId);
    if (!payment || session.state === "open") return;
    if (session.state === "ended") return void (await cancelPayment(tx, payment));
    if (session.amountCents !== payment.amount_cents || session.currency !== "usd") {
      deps.log.error(
        { payment: payment.id, session: session.reference },
        "a checkout session was paid with a different amount: not credited",
      );
      return void (await payments.flag(
        tx,
        payment.id,
        `paid ${session.amountCents} ${session.currency}, which is not the amount due: nothing was credited`,
        tx.now,
      ));
    }
    await payments.setReference(tx, payment.id, session.reference);
    await payPayment(tx, payment, session.card);
    await takeFee(tx, payment, session.feeCents);
  }

  /** Finds the payment. Undefined for payments in the same processor account that are not of this server. */
  async #find(q: Query, paymentId: string | null): Promise<payments.PaymentRow | undefined> {
    const payment = paymentId === null ? undefined : await payments.find(q, paymentId);
    return payment?.provider === this.#host.name ? payment : undefined;
  }

  /** Adds the payment's session if the payment is not recorded as paid: disputes and refunds can be reported before the payment. */
  async #withSession<T extends { paymentId: string | null }>(found: T): Promise<T & Reversal> {
    const payment = await this.#deps.store.read((q) => this.#find(q, found.paymentId));
    const session = payment && !isBooked(payment) ? await this.#host.lookUp(payment.external_id) : undefined;
    return { ...found, session };
  }

  /** The payment that was reversed. Undefined if it is not a payment of this server, or was never credited. */
  async #findReversed(tx: Tx, { paymentId, session }: Reversal): Promise<payments.PaymentRow | undefined> {
    if (session) await this.#book(tx, session);
    const payment = await this.#find(tx, paymentId);
    if (!payment || isBooked(payment)) return payment;
    // Paid with a different amount, so it was flagged and not credited.
    if (session?.state === "paid") return undefined;
    // A renewal is being charged, or the session's id was lost in a crash. The processor must send the event again later.
    throw unavailable("The payment of this event is not recorded yet. Nothing was changed. Send the event again.", 60);
  }

  async #bookDispute(tx: Tx, dispute: DisputeState & Reversal): Promise<void> {
    const payment = dispute.state === "inquiry" ? undefined : await this.#findReversed(tx, dispute);
    if (!payment) return;
    const { id, amountCents, answerBy } = dispute;
    if (dispute.state === "won") await winDispute(tx, payment, id);
    else await takeDispute(tx, payment, { id, cents: amountCents ?? payment.amount_cents, answerBy });
    await takeDisputeFee(tx, payment, dispute);
  }

  async #bookCharge(tx: Tx, charge: ChargeState & Reversal): Promise<void> {
    const { paidCents, feeCents, refunds } = charge;
    if (paidCents === null) return;
    await this.#bookLostRenewal(tx, charge);
    const payment = await this.#findReversed(tx, charge);
    if (!payment) return;
    await takeFee(tx, payment, feeCents);
    for (const { id, cents, state } of refunds)
      await (state === "failed" ? failRefund(tx, payment, id) : takeRefund(tx, payment, { id, cents }));
  }

  /** Completes a renewal whose charge was paid, but whose response was lost. Renewals have no session that could be looked up. */
  async #bookLostRenewal(tx: Tx, { paymentId, paidCents }: ChargeState): Promise<void> {
    const payment = await this.#find(tx, paymentId);
    const isRenewal = payment?.purpose === "subscription" && payment.checkout_hash === null;
    if (isRenewal && !isBooked(payment) && payment.amount_cents === paidCents) await payPayment(tx, payment);
  }
}
