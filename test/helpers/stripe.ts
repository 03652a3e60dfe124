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

/** A stand-in for Stripe's HTTP API: as much of it as this server asks, with its rules about idempotency keys and times. */
export async function startStripe(clock: TestClock) {
  const sessions = new Map<string, Session>();
  const disputes = new Map<string, Json>();
  const refunded = new Map<string, Json>();
  const answered = new Map<string, { request: string; reply: [number, Json] }>();
  const charges: { card: string; cents: number; key: string }[] = [];
  const signer = new Stripe(secretKey).webhooks;
  let events = 0;
  let down = false;

  const refuse = (status: number, type: string, message: string): [number, Json] => [status, { error: { type, message } }];

  function createSession(form: Form): [number, Json] {
    const lasts = Number(form.expires_at) * 1000 - clock.now();
    if (lasts < 30 * 60_000 || lasts > 24 * 3_600_000)
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
    return [200, { id: `pi_${charges.length}`, object: "payment_intent", status: "succeeded" }];
  }

  function route(method: string, path: string, form: Form, key: string): [number, Json] {
    const [, , resource, id = "", action] = path.replace("checkout/sessions", "sessions").split("/");
    const session = sessions.get(id);
    if (method === "POST" && resource === "sessions" && id === "") return createSession(form);
    if (method === "POST" && resource === "payment_intents") return charge(form, key);
    if (method === "GET" && resource === "disputes" && disputes.has(id)) return [200, disputes.get(id)!];
    if (method === "GET" && resource === "charges" && refunded.has(id)) return [200, refunded.get(id)!];
    if (resource !== "sessions" || !session) return refuse(404, "invalid_request_error", `no ${method} ${path}`);
    if (action !== "expire") return [200, session];
    if (session.status !== "open") return refuse(400, "invalid_request_error", "Only open sessions can be expired.");
    session.status = "expired";
    return [200, session];
  }

  /** The same key with the same request is answered the same again; with another request it is refused. */
  function answer(request: IncomingMessage, body: string): [number, Json] {
    if (down) return refuse(500, "api_error", "Stripe is down.");
    if (request.headers.authorization !== `Bearer ${secretKey}`) return refuse(401, "invalid_request_error", "wrong key");
    const form = Object.fromEntries(new URLSearchParams(body));
    const path = request.url!.split("?")[0]!;
    const key = request.headers["idempotency-key"] as string | undefined;
    const known = key === undefined ? undefined : answered.get(key);
    if (known && known.request !== body) return refuse(400, "idempotency_error", `key ${key} was used for another request`);
    const reply = known?.reply ?? route(request.method!, path, form, key ?? "");
    if (key !== undefined) answered.set(key, { request: body, reply });
    return reply;
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
    /** What a person does on Stripe's page. `card` is charged by later renewals. */
    pay(sessionId: string, card = "pm_pays") {
      const session = sessions.get(sessionId)!;
      const metadata = { paymentId: session.client_reference_id };
      const intent = { id: `pi_of_${sessionId}`, object: "payment_intent", payment_method: card, metadata };
      Object.assign(session, { status: "complete", payment_status: "paid", customer: "cus_1", payment_intent: intent });
    },
    /** Opens a dispute of a paid session, or moves it on. */
    dispute(sessionId: string, status: string, { id = `dp_of_${sessionId}`, amount }: { id?: string; amount?: number } = {}) {
      const { payment_intent, amount_total } = sessions.get(sessionId)!;
      disputes.set(id, { id, object: "dispute", status, payment_intent, amount: amount ?? amount_total });
      return id;
    },
    /** What the operator refunded of a paid session so far, in Stripe's own pages. */
    refund(sessionId: string, cents: number) {
      const id = `ch_of_${sessionId}`;
      const { payment_intent, amount_total: amount } = sessions.get(sessionId)!;
      refunded.set(id, { id, object: "charge", amount, amount_refunded: cents, refunded: cents === amount, payment_intent });
      return id;
    },
    /** Reports to the server as Stripe does; the reply's status. `tamper` changes the body after it was signed. */
    async report(
      to: TestServer,
      type: string,
      objectId: string,
      options: { id?: string; secret?: string; ageSeconds?: number; tamper?: boolean } = {},
    ) {
      const id = options.id ?? `evt_${++events}`;
      const payload = JSON.stringify({ id, object: "event", type, data: { object: { id: objectId } } });
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
