import { known } from "./games.ts";
import { type Asked, badRequest, type Handler, invalid, notFound, Problem, page, reply } from "./http.ts";
import { askForCrypto, cryptoProof } from "./playtests.ts";
import { plans, type State } from "./state.ts";

/** Money, chat, webhooks, notifications and registration. */

const amount = (value: unknown, least: number): number => {
  if (!Number.isInteger(value) || (value as number) < least || (value as number) > 1_000_000)
    throw invalid("amountCents", `must be ${least} to 1000000`);
  return value as number;
};

function topUp(state: State, asked: Asked) {
  const proof = cryptoProof(state, asked);
  if (proof === undefined) {
    if (asked.headers["x-payment-method"] !== "x402") throw invalid("X-Payment-Method", "must be x402");
    if (asked.headers["x-payment-from"] !== undefined) state.beyond.push("POST /billing/credit/x402: header X-Payment-From");
    throw askForCrypto(state, asked, amount(known(state, asked, ["amountCents"]).amountCents, 500));
  }
  if (Object.keys(asked.body).length > 0) state.beyond.push("POST /billing/credit/x402: a body with X-Payment");
  const pending = state.pendingPayments.pop();
  if (!pending) throw notFound();
  state.balanceCents += pending.amountCents;
  const paymentId = state.pay(pending.amountCents, "crypto");
  return reply(200, { message: "Credit added", paymentId, creditedCents: pending.amountCents });
}

export function billingRoutes(state: State): Record<string, Handler> {
  const payment = (id: string | undefined) => {
    const found = state.payments.find((one) => one.id === id);
    if (!found) throw notFound();
    return found;
  };
  const renewing = () => state.subscription !== null && !state.subscription.cancelAtPeriodEnd;
  return {
    "GET /billing/balance": () =>
      reply(200, { balanceCents: state.balanceCents, currency: "USD", playtestMinutes: state.playtestMinutes }),
    "GET /billing/payments": (asked) => page(asked, "payments", state.payments),
    "GET /billing/payments/:id": ({ params }) => reply(200, { payment: payment(params.id) }),
    "GET /billing/payments/:id/invoice": ({ params }) => {
      const raw = Buffer.from(`%PDF-1.7\n% ${payment(params.id).id}\n%%EOF\n`);
      return { raw, headers: { "content-type": "application/pdf" } };
    },
    "POST /billing/credit": (asked) => {
      const { amountCents } = known(state, asked, ["amountCents", "returnUrl"]);
      const paymentId = state.pay(amount(amountCents, 2000), "stripe", "pending");
      return reply(200, { checkoutUrl: `https://checkout.example/${paymentId}`, paymentId, amountCents });
    },
    "POST /billing/credit/x402": (asked) => topUp(state, asked),
    "GET /billing/plans": () => reply(200, { plans, configured: state.configured }),
    "GET /billing/subscription": () =>
      reply(200, {
        subscription: state.subscription,
        plan: plans.find(({ key }) => key === state.subscription?.planKey) ?? null,
        playtestMinutes: state.playtestMinutes,
        playtestHours: state.playtestMinutes / 60,
        nextRenewalAt: renewing() ? state.subscription!.currentPeriodEnd : null,
        endsAt: state.subscription && !renewing() ? state.subscription.currentPeriodEnd : null,
        cancelAtPeriodEnd: state.subscription?.cancelAtPeriodEnd ?? false,
      }),
    "POST /billing/subscription/checkout": (asked) => {
      const { planKey } = known(state, asked, ["planKey"]);
      if (!state.configured) throw new Problem(503, "SERVICE_UNAVAILABLE", "Subscriptions are not configured");
      if (state.subscription?.planKey === planKey) throw badRequest("This is the current plan");
      const subscriptionId = state.newId("sub");
      const checkoutUrl = `https://checkout.example/${subscriptionId}`;
      return reply(200, { checkoutUrl, sessionId: "cs_1", subscriptionId, isPlanChange: state.subscription !== null });
    },
    "POST /billing/subscription/cancel": () => {
      if (!state.subscription) throw badRequest("No active subscription");
      Object.assign(state.subscription, { cancelAtPeriodEnd: true, cancelledAt: state.now() });
      return reply(200, state.subscription);
    },
    "POST /billing/subscription/resume": () => {
      if (!state.subscription?.cancelAtPeriodEnd) throw badRequest("No cancellation is pending");
      Object.assign(state.subscription, { cancelAtPeriodEnd: false, cancelledAt: null });
      return reply(200, state.subscription);
    },
    "GET /billing/playtest-hours": () =>
      reply(200, { balanceMinutes: state.playtestMinutes, balanceHours: state.playtestMinutes / 60 }),
    "GET /billing/playtest-hours/history": () => reply(200, { entries: state.ledger }),
  };
}

export function talkRoutes(state: State, keys: Set<string>): Record<string, Handler> {
  const webhook = (id: string | undefined) => {
    const found = state.webhooks.find((one) => one.id === id);
    if (!found) throw notFound();
    return found;
  };
  const checked = ({ url, ...rest }: Record<string, unknown>) => {
    if (url !== undefined && !/^https:\/\//.test(String(url))) throw invalid("url", "must be an HTTPS URL");
    return { ...(url !== undefined && { url }), ...rest };
  };
  const conversation = (id: string | undefined) => {
    if (!state.contacts.some(({ conversationId }) => conversationId === id)) throw notFound();
    return state.messages.filter(({ conversationId }) => conversationId === id);
  };
  return {
    "POST /auth/register/api-key": (asked) => {
      const { email, password } = known(state, asked, ["email", "password", "role", "name"]);
      if (!email || !password) throw invalid("email", "is required");
      const apiKey = `key_${state.newId("new")}`;
      keys.add(apiKey);
      return reply(201, { apiKey });
    },
    "GET /chat/contacts": () => reply(200, { contacts: state.contacts }),
    "GET /chat/conversations/:id": (asked) => page(asked, "messages", conversation(asked.params.id), { isBlocked: false }),
    "POST /chat/conversations/:id/messages": (asked) => {
      conversation(asked.params.id);
      const { content } = known(state, asked, ["content"]);
      const message = {
        id: state.newId("msg"),
        conversationId: asked.params.id!,
        senderType: "game_owner",
        senderId: "user_owner",
        content,
        readAt: null,
        createdAt: state.now(),
      };
      state.messages.push(message);
      return reply(201, { message });
    },
    "GET /chat/unread-count": () => reply(200, { unreadCount: 1 }),
    "GET /webhooks": () => reply(200, { webhooks: state.webhooks }),
    "POST /webhooks": (asked) => {
      const given = checked(known(state, asked, ["url", "events"]));
      const made = { id: state.newId("wh"), ...given, isActive: true, createdAt: state.now() };
      state.webhooks.unshift({ ...made, failureCount: 0, lastFailureAt: null });
      return reply(201, { webhook: made, secret: "whsec_0123456789abcdef" });
    },
    "PATCH /webhooks/:id": (asked) => {
      const found = webhook(asked.params.id);
      Object.assign(found, checked(known(state, asked, ["url", "events"])));
      return reply(200, { webhook: found });
    },
    "DELETE /webhooks/:id": ({ params }) => {
      state.webhooks.splice(state.webhooks.indexOf(webhook(params.id)), 1);
      return reply(200, { message: "Webhook deleted" });
    },
    "GET /webhooks/:id/deliveries": (asked) => {
      const { id } = webhook(asked.params.id);
      const own = state.deliveries.filter(({ webhookId }) => webhookId === id).map(({ webhookId: _, ...one }) => one);
      return page(asked, "deliveries", own);
    },
    "POST /webhooks/:id/test": ({ params }) => {
      const delivery = { id: state.newId("dlv"), statusCode: 200, deliveredAt: state.now() };
      const more = { event: "test.ping", attemptCount: 1, nextRetryAt: null, createdAt: state.now() };
      state.deliveries.unshift({ ...delivery, ...more, webhookId: webhook(params.id).id });
      return reply(200, { success: true, delivery });
    },
    "POST /webhooks/:id/enable": ({ params }) => {
      Object.assign(webhook(params.id), { isActive: true, failureCount: 0 });
      return reply(200, { message: "Webhook enabled", isActive: true });
    },
    "POST /webhooks/:id/rotate-secret": ({ params }) => {
      webhook(params.id);
      return reply(200, { secret: "whsec_fedcba9876543210", message: "Secret rotated" });
    },
    "GET /notifications": (asked) => {
      const unread = state.notifications.filter(({ readAt }) => readAt === null);
      const listed = asked.query.get("unread") === "true" ? unread : state.notifications;
      return page(asked, "notifications", listed, { unreadCount: unread.length });
    },
    "POST /notifications/mark-all-read": () => {
      const unread = state.notifications.filter(({ readAt }) => readAt === null);
      for (const one of unread) one.readAt = state.now();
      return reply(200, { message: "All read", updatedCount: unread.length });
    },
  };
}
