import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import type { TestClock, TestServer } from "./server.ts";

export const secretKey = "sk_test_standin";
export const webhookSecret = "whsec_standin";

type Form = Record<string, string>;
type Json = Record<string, unknown>;

interface Session extends Json {
  id: string;
  status: "open" | "complete" | "expired";
  payment_status: "unpaid" | "paid";
  payment_intent: Json | null;
}

/** Stripe's clock may be ahead of or behind the server's by this. */
const clockErrorMs = 30_000;

/** A stand-in for Stripe's HTTP API: as much of it as this server asks, with its rules about idempotency keys and times. */
export async function startStripe(clock: TestClock) {
  const sessions = new Map<string, Session>();
  const disputes = new Map<string, Json>();
  const charged = new Map<string, Json & { id: string; payment_intent: Json }>();
  const refunds = new Map<string, Json & { amount: number }>();
  const answered = new Map<string, { request: string; reply: [number, Json]; at: number }>();
  const intents: (Json & { customer: string; created: number })[] = [];
  const charges: { card: string; cents: number; key: string }[] = [];
  const signer = new Stripe(secretKey).webhooks;
  let events = 0;
  let down = false;
  let losing = false;
  let renewalFee: number | null = null;

  const refuse = (status: number, type: string, message: string): [number, Json] => [status, { error: { type, message } }];

  function createSession(form: Form): [number, Json] {
    const lasts = Number(form.expires_at) * 1000 - clock.now();
    if (lasts < 30 * 60_000 + clockErrorMs || lasts > 24 * 3_600_000 - clockErrorMs)
      return refuse(400, "invalid_request_error", `expires_at is ${lasts} ms ahead`);
    const id = `cs_test_${sessions.size + 1}`;
    const session: Session = {
      id,
      object: "checkout.session",
      url: `https://checkout.stripe.example/${id}`,
      status: "open",
      payment_status: "unpaid",
      client_reference_id: form.client_reference_id,
      amount_total: Number(form["line_items[0][price_data][unit_amount]"]),
      currency: form["line_items[0][price_data][currency]"],
      customer: null,
      payment_intent: null,
      asked: form,
    };
    sessions.set(id, session);
    return [200, session];
  }

  function charge(form: Form, key: string): [number, Json] {
    const card = form.payment_method!;
    if (card === "pm_fails") return refuse(402, "card_error", "Your card was declined.");
    charges.push({ card, cents: Number(form.amount), key });
    const id = `pi_${charges.length}`;
    const payment_intent = { id, object: "payment_intent", metadata: { paymentId: form["metadata[paymentId]"] } };
    const made = chargeOf(id, Number(form.amount), payment_intent);
    made.balance_transaction = entryOf(renewalFee);
    intents.push({ ...payment_intent, status: "succeeded", latest_charge: made, customer: form.customer!, created: seconds() });
    return [200, { ...payment_intent, status: "succeeded", latest_charge: expanded(form) ? made : made.id }];
  }

  function chargeOf(of: string, amount: number, payment_intent: Json) {
    const id = `ch_of_${of}`;
    const made: Json & { id: string; payment_intent: Json } = {
      id,
      object: "charge",
      paid: true,
      amount,
      currency: "usd",
      balance_transaction: null,
      payment_intent,
    };
    charged.set(id, made);
    return made;
  }

  /** Asked for as Stripe wants it: only what a request names is there as an object. */
  const expanded = (form: Form) => form["expand[0]"] === "latest_charge.balance_transaction";
  const entryOf = (fee: number | null, currency = "usd") =>
    fee === null ? null : { object: "balance_transaction", fee, currency, type: "charge" };

  const seconds = () => Math.floor(clock.now() / 1000);

  function intentsOf(form: Form): [number, Json] {
    const data = intents.filter(({ customer, created }) => customer === form.customer && created >= Number(form["created[gte]"]));
    return [200, { object: "list", data, has_more: false, url: "/v1/payment_intents" }];
  }

  function refundsOf(charge: string): [number, Json] {
    const data = [...refunds.values()].filter((refund) => refund.charge === charge);
    return [200, { object: "list", data, has_more: false, url: "/v1/refunds" }];
  }

  function route(method: string, path: string, form: Form, key: string): [number, Json] {
    const [, , resource, id = "", action] = path.replace("checkout/sessions", "sessions").split("/");
    const session = sessions.get(id);
    if (method === "POST" && resource === "sessions" && id === "") return createSession(form);
    if (method === "POST" && resource === "payment_intents") return charge(form, key);
    if (method === "GET" && resource === "payment_intents") return intentsOf(form);
    if (method === "GET" && resource === "disputes" && disputes.has(id)) return [200, disputes.get(id)!];
    if (method === "GET" && resource === "charges" && charged.has(id)) return [200, charged.get(id)!];
    if (method === "GET" && resource === "refunds") return refundsOf(form.charge!);
    if (resource !== "sessions" || !session) return refuse(404, "invalid_request_error", `no ${method} ${path}`);
    if (action !== "expire") return [200, session];
    if (session.status !== "open") return refuse(400, "invalid_request_error", "Only open sessions can be expired.");
    Object.assign(session, { status: "expired", url: null });
    return [200, session];
  }

  /** The same key with the same request is answered the same again, for a day; with another request it is refused. */
  function answer(request: IncomingMessage, body: string): [number, Json] {
    if (down) return refuse(500, "api_error", "Stripe is down.");
    if (request.headers.authorization !== `Bearer ${secretKey}`) return refuse(401, "invalid_request_error", "wrong key");
    const [path = "", query = ""] = request.url!.split("?");
    const form = Object.fromEntries(new URLSearchParams(body || query));
    const key = request.headers["idempotency-key"] as string | undefined;
    const seen = key === undefined ? undefined : answered.get(key);
    const known = seen && clock.now() - seen.at < 24 * 3_600_000 ? seen : undefined;
    if (known && known.request !== body) return refuse(400, "idempotency_error", `key ${key} was used for another request`);
    const reply = known?.reply ?? route(request.method!, path, form, key ?? "");
    if (key !== undefined) answered.set(key, { request: body, reply, at: known?.at ?? clock.now() });
    return losing ? refuse(500, "api_error", "Something broke after it was done.") : reply;
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const [status, json] = answer(request, body);
    response.writeHead(status, {
      "Content-Type": "application/json",
      "Request-Id": "req_standin",
      "Stripe-Should-Retry": "false",
    });
    response.end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions,
    charges,
    setDown: (to: boolean) => {
      down = to;
    },
    /** Does what it is asked, and fails to say so. */
    setLosing: (to: boolean) => {
      losing = to;
    },
    /** What a person does on Stripe's page. `card` is charged by later renewals. */
    pay(sessionId: string, card = "pm_pays") {
      const session = sessions.get(sessionId)!;
      const metadata = { paymentId: session.client_reference_id };
      const intent: Json = { id: `pi_of_${sessionId}`, object: "payment_intent", payment_method: card, metadata };
      chargeOf(sessionId, Number(session.amount_total), intent);
      Object.assign(session, {
        status: "complete",
        payment_status: "paid",
        customer: "cus_1",
        payment_intent: intent,
        url: null,
      });
    },
    /** Stripe knows its fee of a paid session, some seconds after it; the charge's name. */
    fee(sessionId: string, cents: number, currency?: string) {
      const charge = charged.get(`ch_of_${sessionId}`)!;
      charge.balance_transaction = entryOf(cents, currency);
      charge.payment_intent.latest_charge = { id: charge.id, object: "charge", balance_transaction: charge.balance_transaction };
      return charge.id;
    },
    /** What Stripe keeps of later renewals, which it knows at once. */
    setRenewalFee: (cents: number) => {
      renewalFee = cents;
    },
    /** Opens a dispute of a paid session, or moves it on. `fees` are of the withdrawal and of what came back. */
    dispute(
      sessionId: string,
      status: string,
      {
        id = `dp_of_${sessionId}`,
        amount,
        fees = [],
        dueBy,
      }: { id?: string; amount?: number; fees?: number[]; dueBy?: number } = {},
    ) {
      const { payment_intent, amount_total } = sessions.get(sessionId)!;
      const balance_transactions = fees.map((fee) => entryOf(fee));
      const evidence_details = { due_by: dueBy ?? null, has_evidence: false, past_due: false, submission_count: 0 };
      disputes.set(id, {
        ...{ id, object: "dispute", status, payment_intent, balance_transactions, evidence_details },
        amount: amount ?? amount_total,
      });
      return id;
    },
    /** What the operator refunded of a paid session so far, in Stripe's own pages; less than before is as it was read earlier. */
    refund(sessionId: string, cents: number) {
      const charge = `ch_of_${sessionId}`;
      const own = [...refunds.values()].filter((refund) => refund.charge === charge);
      const sum = own.reduce((total, { amount }) => total + amount, 0);
      if (cents > sum) {
        const id = `re_${own.length + 1}_of_${sessionId}`;
        refunds.set(id, { id, object: "refund", charge, amount: cents - sum, status: "succeeded" });
      } else refunds.delete(`re_${own.length}_of_${sessionId}`);
      return charge;
    },
    /** The customer's bank refuses a refund, days later. */
    failRefund(sessionId: string, number: number) {
      const refund = refunds.get(`re_${number}_of_${sessionId}`)!;
      refund.status = "failed";
      return refund;
    },
    /** Reports to the server as Stripe does; the reply's status. `tamper` changes the body after it was signed. */
    async report(
      to: TestServer,
      type: string,
      subject: string | Json,
      options: { id?: string; secret?: string; ageSeconds?: number; tamper?: boolean } = {},
    ) {
      const object = typeof subject === "string" ? { id: subject } : subject;
      const id = options.id ?? `evt_${++events}`;
      const payload = JSON.stringify({ id, object: "event", type, data: { object } });
      const timestamp = Math.floor(clock.real() / 1000) - (options.ageSeconds ?? 0);
      const header = signer.generateTestHeaderString({ payload, secret: options.secret ?? webhookSecret, timestamp } as never);
      const body = options.tamper ? payload.replace(id, "evt_other") : payload;
      const reply = await fetch(`${to.baseUrl}/processors/stripe`, {
        method: "POST",
        body,
        headers: { "stripe-signature": header },
      });
      return reply.status;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type StripeStandIn = Awaited<ReturnType<typeof startStripe>>;
