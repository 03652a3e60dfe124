import type { PaymentStatus } from "../../../src/contract/states/index.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { notConfigured, notFound } from "../../lib/api-error.ts";
import { sha256 } from "../../lib/secrets.ts";
import { returnAddress, statusAt } from "../rules.ts";
import type { PaymentRow } from "../store.ts";
import * as payments from "../store.ts";
import { hostedOf } from "./hosted.ts";
import type { CardVerdict } from "./processor.ts";
import { actAtCheckout } from "./sandbox.ts";

/** A payment as the checkout page shows it. */
export interface Checkout {
  status: PaymentStatus;
  amountCents: number;
  description: string | null;
  /** The return URL of the payment, and the same URL with the payment's outcome. */
  returnUrl: string | null;
  returnTo: string | null;
}

const dayMs = 24 * 3_600_000;

/**
 * The steps of a checkout, which is identified only by the secret token in its URL. Every step can be repeated: it then returns the
 * result of the first time.
 */
export class Checkouts {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Finds a checkout. 404 for an unknown token. */
  async find(token: string): Promise<Checkout> {
    return this.#view(await this.#read(token));
  }

  /** As `find`, but asks the card processor about a payment that has expired: it may have been made in its last moments. */
  async findEnd(token: string): Promise<Checkout> {
    const found = await this.find(token);
    if (found.status !== "cancelled") return found;
    await this.refresh(token);
    return this.find(token);
  }

  /** Opens the card processor's checkout page and returns its URL. Undefined if the payment is made on a page of this server. */
  async openHosted(token: string): Promise<string | undefined> {
    const payment = await this.#read(token);
    return hostedOf(this.#deps, payment)?.open(payment, token);
  }

  /** The result of paying with a sandbox card. 503 if the sandbox's card processor is not configured. */
  readCard(number: string): CardVerdict {
    const { cards } = this.#deps;
    if (cards?.page !== "own")
      throw notConfigured("The card processor of this checkout is no longer configured. Nothing was charged.");
    return cards.read(number);
  }

  /** Pays with a sandbox card that was not declined. */
  pay(token: string, { card, disputed }: Extract<CardVerdict, { outcome: "paid" }>): Promise<Checkout> {
    return this.#act(token, async (tx, payment) => {
      await actAtCheckout(tx, payment, "paid", card);
      if (disputed) await this.#disputeLater(tx, payment.id);
    });
  }

  /** Updates the payment with its state at the card processor, in case the webhook has not arrived yet. */
  async refresh(token: string): Promise<Checkout> {
    const payment = await this.#read(token);
    if (payment.status === "pending") await hostedOf(this.#deps, payment)?.refresh(payment);
    const current = await this.#read(token);
    return { ...this.#view(current), status: current.status };
  }

  async cancel(token: string): Promise<Checkout> {
    const payment = await this.#read(token);
    const hosted = payment.status === "pending" ? hostedOf(this.#deps, payment) : undefined;
    if (!hosted) return this.#act(token, (tx, pending) => actAtCheckout(tx, pending, "cancelled"));
    await hosted.close(payment);
    return this.find(token);
  }

  /** Runs `work` if the payment is pending. Returns the payment afterwards. */
  async #act(token: string, work: (tx: Tx, payment: PaymentRow) => Promise<void>): Promise<Checkout> {
    const payment = await this.#deps.store.write(async (tx) => {
      const found = await this.#load(tx, token);
      if (statusAt(found, this.#deps.clock.now()) !== "pending") return found;
      await work(tx, found);
      return this.#load(tx, token);
    });
    return this.#view(payment);
  }

  #disputeLater(tx: Query, paymentId: string) {
    const { jobs, clock } = this.#deps;
    return jobs.schedule(tx, { kind: "dispute-payment", key: paymentId, payload: { paymentId }, runAt: clock.now() + dayMs });
  }

  #read(token: string): Promise<PaymentRow> {
    return this.#deps.store.read((q) => this.#load(q, token));
  }

  async #load(q: Query, token: string): Promise<PaymentRow> {
    const payment = await payments.findByCheckout(q, sha256(token));
    if (!payment) throw notFound();
    return payment;
  }

  #view(payment: PaymentRow): Checkout {
    const status = statusAt(payment, this.#deps.clock.now());
    const { amount_cents: amountCents, description, return_url: returnUrl } = payment;
    const outcome = status === "completed" ? "success" : "cancelled";
    return { status, amountCents, description, returnUrl, returnTo: returnUrl && returnAddress(returnUrl, payment.id, outcome) };
  }
}
