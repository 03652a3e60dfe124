import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { unavailable } from "../../lib/problem.ts";
import { takeDisputeFee, takeFee } from "../fees.ts";
import { isByCard } from "../rules.ts";
import { cancelPayment, payPayment } from "../settle.ts";
import * as payments from "../store.ts";
import { failRefund, takeDispute, takeRefund, winDispute } from "./disputes.ts";
import type { ChargeState, DisputeState, HostedCards, ProcessorEvent, SessionState } from "./processor.ts";

/** The payments at the page of the processor that this one is at; undefined for one paid on our page. */
export function hostedOf(deps: Deps, payment: payments.PaymentRow): HostedPayments | undefined {
  if (payment.provider === "sandbox" || !isByCard(payment)) return undefined;
  const { cards } = deps;
  if (cards?.page === "hosted" && cards.name === payment.provider) return new HostedPayments(deps, cards);
  throw unavailable("The card processor of this checkout is no longer configured. Nothing was charged.", 3600);
}

const halfHour = 30 * 60_000;
const isBooked = ({ status }: payments.PaymentRow) => status === "completed" || status === "disputed" || status === "refunded";

interface Reversal {
  paymentId: string | null;
  /** What is known of the payment's session, where the reversal came before the payment was booked. */
  session: SessionState | undefined;
}

/**
 * Payments at a processor's own checkout page. What it reports is only a hint where to look: each step reads the object's
 * state at the processor first, so reports may come twice, late and out of order.
 */
export class HostedPayments {
  readonly #deps: Deps;
  readonly #host: HostedCards;

  constructor(deps: Deps, host: HostedCards) {
    this.#deps = deps;
    this.#host = host;
  }

  /** Opens the processor's page for a pending payment; its address. */
  async open(payment: payments.PaymentRow, ownUrl: string): Promise<string> {
    const { store, clock } = this.#deps;
    const owner = (await store.read((q) => users.find(q, payment.owner_id)))!;
    const lastHalfHour = payment.expires_at! - clock.now() < halfHour + 60_000;
    const { url, reference } = await this.#host.openSession({
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
    if (reference !== payment.external_id) await store.write((tx) => payments.setReference(tx, payment.id, reference));
    return url;
  }

  /** Books what the processor says of a payment's session now. */
  async refresh(payment: payments.PaymentRow): Promise<void> {
    const session = await this.#host.lookUp(payment.external_id);
    if (session) await this.#deps.store.write((tx) => this.#book(tx, session));
  }

  /** Makes sure that nobody pays any more, then cancels; what was paid in the meantime counts. */
  async close(payment: payments.PaymentRow): Promise<void> {
    const session = await this.#host.closeSession(payment.external_id);
    await this.#deps.store.write(async (tx) => {
      if (session?.state === "paid") return this.#book(tx, session);
      const current = await payments.find(tx, payment.id);
      if (current) await cancelPayment(this.#deps, tx, current);
    });
  }

  /** Acts on a processor's message, once. */
  async take(event: ProcessorEvent): Promise<void> {
    const { store, clock } = this.#deps;
    const act = event.about && (await this.#lookAt(event.about));
    if (!act) return;
    await store.write(async (tx) => {
      const seen = { provider: this.#host.name, id: event.id, kind: event.kind, now: clock.now() };
      if (await payments.recordEvent(tx, seen)) await act(tx);
    });
  }

  /** Asks the processor what it is about as it is now; what is to be booked of it. */
  async #lookAt(about: NonNullable<ProcessorEvent["about"]>) {
    const host = this.#host;
    if ("session" in about) {
      const session = await host.lookUp(about.session);
      return session && ((tx: Query) => this.#book(tx, session));
    }
    if ("dispute" in about) {
      const dispute = await this.#withSession(await host.lookUpDispute(about.dispute));
      return (tx: Query) => this.#bookDispute(tx, dispute);
    }
    const charge = await this.#withSession(await host.lookUpCharge(about.charge));
    return (tx: Query) => this.#bookCharge(tx, charge);
  }

  async #book(tx: Query, session: SessionState): Promise<void> {
    const deps = this.#deps;
    const payment = await this.#find(tx, session.paymentId);
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

  /** What the account at the processor is used for besides is none of our business. */
  async #find(q: Query, paymentId: string | null): Promise<payments.PaymentRow | undefined> {
    const payment = paymentId === null ? undefined : await payments.find(q, paymentId);
    return payment?.provider === this.#host.name ? payment : undefined;
  }

  /** A dispute or a refund can be reported before the payment it is about: then that is looked up too. */
  async #withSession<T extends { paymentId: string | null }>(found: T): Promise<T & Reversal> {
    const payment = await this.#deps.store.read((q) => this.#find(q, found.paymentId));
    const session = payment && !isBooked(payment) ? await this.#host.lookUp(payment.external_id) : undefined;
    return { ...found, session };
  }

  /** The payment that money went back of; undefined for one of somebody else's. */
  async #findReversed(tx: Query, { paymentId, session }: Reversal): Promise<payments.PaymentRow | undefined> {
    if (session) await this.#book(tx, session);
    const payment = await this.#find(tx, paymentId);
    if (!payment || isBooked(payment)) return payment;
    // Paid with another amount: flagged, and never credited.
    if (session?.state === "paid") return undefined;
    // A renewal that is being charged, or a session whose name was lost in a crash: the report must come again after it.
    throw unavailable("The payment of this event is not recorded yet. Nothing was changed. Send the event again.", 60);
  }

  async #bookDispute(tx: Query, dispute: DisputeState & Reversal): Promise<void> {
    const deps = this.#deps;
    const payment = dispute.state === "inquiry" ? undefined : await this.#findReversed(tx, dispute);
    if (!payment) return;
    const { id, amountCents } = dispute;
    if (dispute.state === "won") await winDispute(deps, tx, payment, id);
    else await takeDispute(deps, tx, payment, { id, cents: amountCents ?? payment.amount_cents });
    await takeDisputeFee(deps, tx, payment, dispute);
  }

  async #bookCharge(tx: Query, charge: ChargeState & Reversal): Promise<void> {
    const deps = this.#deps;
    const { paidCents, feeCents, refunds } = charge;
    if (paidCents === null) return;
    await this.#bookLostRenewal(tx, charge);
    const payment = await this.#findReversed(tx, charge);
    if (!payment) return;
    await takeFee(deps, tx, payment, feeCents);
    for (const { id, cents, state } of refunds)
      await (state === "failed" ? failRefund(deps, tx, payment, id) : takeRefund(deps, tx, payment, { id, cents }));
  }

  /** A renewal has no session: where the answer to its charge was lost and nobody asks again, only this tells that it was paid. */
  async #bookLostRenewal(tx: Query, { paymentId, paidCents }: ChargeState): Promise<void> {
    const payment = await this.#find(tx, paymentId);
    const isRenewal = payment?.purpose === "subscription" && payment.checkout_hash === null;
    if (isRenewal && !isBooked(payment) && payment.amount_cents === paidCents) await payPayment(this.#deps, tx, payment);
  }
}
