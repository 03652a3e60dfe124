import type Stripe from "stripe";
import { ConfigError } from "../../config/read.ts";
import { badRequest, unavailable } from "../../lib/api-error.ts";
import { currentTrace } from "../../lib/trace.ts";
import type { ChargeOutcome, DisputeState, HostedCards, HostedCheckout, SavedCharge, SessionState } from "./processor.ts";

interface StripeSettings {
  secretKey: string;
  webhookSecret: string;
  apiUrl: string | null;
}

type Load = () => Promise<{ default: typeof Stripe }>;

const toleranceSeconds = 300;
/** How far Stripe's clock may be behind ours. */
const clockSkewSeconds = 300;

const notInstalled = "Stripe is configured, but its package is not installed. Run: npm install --global stripe@23";

/**
 * Card payments with Stripe. Loads its package, an optional peer dependency, and throws a ConfigError if it is not installed. Every
 * request that creates something has an idempotency key of the payment's id and the purpose, the same for every attempt.
 */
export async function createStripeCards(settings: StripeSettings, load: Load = () => import("stripe")): Promise<HostedCards> {
  const { default: StripeClient } = await load().catch((cause: unknown) => {
    throw Object.assign(new ConfigError(notInstalled), { cause });
  });
  const httpClient = traced(StripeClient.createNodeHttpClient());
  const address = addressOf(settings.apiUrl);
  const stripe = new StripeClient(settings.secretKey, { ...address, httpClient, maxNetworkRetries: 2, timeout: 15_000 });
  const { errors } = StripeClient;

  /** 503 if Stripe cannot be reached or has an internal error, so that the caller retries. A payment may have been made before. */
  const reaching = <T>(
    answer: Promise<T>,
    meaning = "so it is not known whether a payment was made. A payment is charged only once",
  ): Promise<T> =>
    answer.catch((error: unknown) => {
      if (error instanceof errors.StripeConnectionError || error instanceof errors.StripeAPIError)
        throw unavailable(`The card processor is not responding, ${meaning}. Try again later.`, 30, error);
      throw error;
    });
  const retrieve = (reference: string) =>
    reaching(stripe.checkout.sessions.retrieve(reference, { expand: ["payment_intent.latest_charge.balance_transaction"] }));

  return {
    name: "stripe",
    page: "hosted",
    title: "Stripe",

    async openSession(checkout) {
      if (isSession(checkout.reference)) {
        const { id, url } = await retrieve(checkout.reference);
        return { url: url ?? checkout.doneUrl, reference: id };
      }
      const idempotencyKey = `${checkout.paymentId}:checkout`;
      const creation = stripe.checkout.sessions.create(sessionOf(checkout), { idempotencyKey });
      const session = await reaching(creation, "and nothing was charged");
      if (!session.url) throw new Error(`Stripe returned session ${session.id} without a URL`);
      return { url: session.url, reference: session.id };
    },

    lookUp: async (reference) => (isSession(reference) ? stateOf(await retrieve(reference)) : undefined),

    async closeSession(reference) {
      if (!isSession(reference)) return undefined;
      const found = await retrieve(reference);
      if (found.status !== "open") return stateOf(found);
      try {
        await reaching(stripe.checkout.sessions.expire(reference));
      } catch (error) {
        // Stripe refuses this if the session was paid in the meantime. Its current state is returned below.
        if (!(error instanceof errors.StripeInvalidRequestError)) throw error;
      }
      return stateOf(await retrieve(reference));
    },

    lookUpDispute: async (id) => disputeOf(await reaching(stripe.disputes.retrieve(id, { expand: ["payment_intent"] }))),

    async lookUpCharge(id) {
      const charge = await reaching(stripe.charges.retrieve(id, { expand: ["payment_intent", "balance_transaction"] }));
      const all = await reaching(stripe.refunds.list({ charge: id, limit: 100 }).autoPagingToArray({ limit: 1000 }));
      const refunds = all.map((refund) => ({ id: refund.id, cents: refund.amount, state: refundState(refund.status) }));
      const paidCents = charge.paid && charge.currency === "usd" ? charge.amount : null;
      return { paymentId: paymentOf(charge), paidCents, feeCents: feeOf(charge.balance_transaction), refunds };
    },

    async chargeSaved(charge) {
      try {
        const idempotencyKey = `${charge.paymentId}:renewal`;
        const intent =
          (await madeBefore(stripe, charge)) ?? (await stripe.paymentIntents.create(intentOf(charge), { idempotencyKey }));
        if (intent.status === "succeeded")
          return { paid: true, reference: intent.id, feeCents: feeOfCharge(intent.latest_charge) };
        return { paid: false, reason: `The bank requires another step (${intent.status}).` };
      } catch (error) {
        return refusal(error, errors);
      }
    },

    readEvent(body, headers, realNow) {
      const signature = String(headers["stripe-signature"] ?? "");
      const event = verified(stripe, settings.webhookSecret, body, signature, realNow);
      return { id: event.id, kind: event.type, about: subjectOf(event.type, event.data.object as Subject) };
    },
  };
}

/** The library's own client, whose requests also say of which trace they are a part. */
function traced<Client extends Stripe.HttpClient>(client: Client): Client {
  const send = client.makeRequest.bind(client);
  client.makeRequest = (host, port, path, method, headers, ...rest) =>
    send(host, port, path, method, { ...(headers as object), ...currentTrace()?.headers }, ...rest);
  return client;
}

function verified(stripe: Stripe, secret: string, body: Buffer, signature: string, realNow: number): Stripe.Event {
  try {
    return stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, realNow);
  } catch (error) {
    throw badRequest(
      `The event does not have a valid Stripe signature for this server: ${(error as Error).message.split("\n")[0]}`,
    );
  }
}

/** Whether a reference is the id of a Stripe session, not the one that a payment has before its page is opened for the first time. */
const isSession = (reference: string) => /^cs_(test|live)_/.test(reference);

function addressOf(apiUrl: string | null) {
  if (apiUrl === null) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  return { host: hostname, port: port || undefined, protocol: protocol === "http:" ? ("http" as const) : ("https" as const) };
}

function sessionOf(checkout: HostedCheckout): Stripe.Checkout.SessionCreateParams {
  const { paymentId, amountCents, description } = checkout;
  const price = { currency: "usd", unit_amount: amountCents, product_data: { name: description } };
  const metadata = { paymentId };
  return {
    mode: "payment",
    allowed_payment_method_types: ["card"],
    line_items: [{ price_data: price, quantity: 1 }],
    client_reference_id: paymentId,
    customer_email: checkout.email,
    metadata,
    payment_intent_data: { metadata, description, ...(checkout.saveCard && { setup_future_usage: "off_session" as const }) },
    ...(checkout.saveCard && { customer_creation: "always" as const }),
    expires_at: Math.floor(checkout.expiresAt / 1000),
    success_url: checkout.doneUrl,
    cancel_url: checkout.leftUrl,
  };
}

function stateOf(session: Stripe.Checkout.Session): SessionState {
  const intent = typeof session.payment_intent === "object" ? session.payment_intent : null;
  const customer = idOf(session.customer);
  const method = idOf(intent?.payment_method);
  const paid = session.payment_status === "paid";
  return {
    reference: session.id,
    paymentId: session.client_reference_id,
    state: paid ? "paid" : session.status === "open" ? "open" : "ended",
    amountCents: session.amount_total ?? 0,
    currency: session.currency ?? "",
    card: customer && method ? `${customer}/${method}` : undefined,
    feeCents: feeOfCharge(intent?.latest_charge ?? null),
  };
}

/** The fee in cents. Null if unknown, or not in US dollars: fees are in the currency of the Stripe account. */
const feeOf = (entry: string | Stripe.BalanceTransaction | null): number | null =>
  typeof entry === "object" && entry?.currency === "usd" ? entry.fee : null;

const feeOfCharge = (charge: string | Stripe.Charge | null): number | null =>
  typeof charge === "object" && charge ? feeOf(charge.balance_transaction) : null;

const refundState = (status: string | null): "failed" | "taken" =>
  status === "failed" || status === "canceled" ? "failed" : "taken";

/** The id of this server's payment, from the metadata of the payment intent. */
const paymentOf = ({ payment_intent: intent }: { payment_intent: string | Stripe.PaymentIntent | null }) =>
  typeof intent === "object" ? (intent?.metadata?.paymentId ?? null) : null;

const idOf = (value: string | { id: string } | null | undefined) => (typeof value === "object" ? value?.id : value);

function disputeState(status: Stripe.Dispute.Status): DisputeState["state"] {
  if (status === "won") return "won";
  return status.startsWith("warning_") || status === "prevented" ? "inquiry" : "lost_or_open";
}

const disputeOf = (dispute: Stripe.Dispute): DisputeState => ({
  id: dispute.id,
  paymentId: paymentOf(dispute),
  amountCents: dispute.amount ?? null,
  state: disputeState(dispute.status),
  answerBy: answerBy(dispute),
  feeCents: (dispute.balance_transactions ?? []).reduce((sum, entry) => sum + (feeOf(entry) ?? 0), 0),
});

/** Stripe counts in seconds. */
function answerBy({ status, evidence_details: details }: Stripe.Dispute): number | null {
  const dueBy = status === "needs_response" ? details?.due_by : undefined;
  return dueBy ? dueBy * 1000 : null;
}

/** A saved card is a customer and a payment method. */
const customerOf = (card: string) => card.split("/")[0]!;

function intentOf({ paymentId, amountCents, description, card }: SavedCharge): Stripe.PaymentIntentCreateParams {
  return {
    amount: amountCents,
    currency: "usd",
    customer: customerOf(card),
    payment_method: card.split("/")[1]!,
    allowed_payment_method_types: ["card"],
    off_session: true,
    confirm: true,
    description,
    metadata: { paymentId },
    expand: ["latest_charge.balance_transaction"],
  };
}

/** The intent that an earlier try made and that was paid. Stripe forgets idempotency keys after a day, so they do not find it later. */
async function madeBefore(stripe: Stripe, { paymentId, card, triedAt }: SavedCharge): Promise<Stripe.PaymentIntent | undefined> {
  if (triedAt === undefined) return undefined;
  const since = { gte: Math.floor(triedAt / 1000) - clockSkewSeconds };
  const expand = ["data.latest_charge.balance_transaction"];
  const made = stripe.paymentIntents.list({ customer: customerOf(card), created: since, limit: 100, expand });
  for await (const intent of made) if (intent.metadata.paymentId === paymentId && intent.status === "succeeded") return intent;
  return undefined;
}

/** The outcome if the card was declined or does not exist anymore. Throws other errors, after which the outcome is unknown. */
function refusal(error: unknown, errors: typeof Stripe.errors): ChargeOutcome {
  if (error instanceof errors.StripeCardError || error instanceof errors.StripeInvalidRequestError)
    return { paid: false, reason: error.message };
  throw error;
}

interface Subject {
  id?: string;
  /** The charge of a refund. */
  charge?: string | null;
}

/** The object to fetch. Updates of charges are included because their fee is known only later, and refunds because they can still fail. */
function subjectOf(kind: string, { id, charge }: Subject) {
  if (kind.startsWith("checkout.session.")) return { session: String(id) };
  if (kind.startsWith("charge.dispute.")) return { dispute: String(id) };
  if (/^charge\.(succeeded|updated|refunded)$/.test(kind)) return { charge: String(id) };
  const isRefund = kind.startsWith("refund.") || kind === "charge.refund.updated";
  return isRefund && charge ? { charge } : undefined;
}
