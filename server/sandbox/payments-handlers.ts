import { actAtCheckout, actAtPlanCheckout, setRenewalOutcome } from "../billing/cards/sandbox.ts";
import { paymentView } from "../billing/invoices/views.ts";
import * as payments from "../billing/store.ts";
import * as subscriptions from "../billing/subscriptions/store.ts";
import { subscriptionView } from "../billing/views.ts";
import type { Query } from "../database/port.ts";
import type { Handlers } from "../http/call.ts";
import { notFound } from "../lib/api-error.ts";

/** Applies `work` to the subscription and returns its new state. */
async function change(tx: Query, id: string, work: (row: subscriptions.SubscriptionRow) => Promise<void>) {
  const row = await subscriptions.find(tx, id);
  if (!row) throw notFound();
  await work(row);
  return { subscription: subscriptionView((await subscriptions.find(tx, id))!) };
}

/** Sandbox routes that act as the person paying at a checkout. */
export const sandboxPayments = {
  completePayment: (call) =>
    call.commit(async (tx) => {
      const payment = await payments.find(tx, call.params.id);
      if (!payment) throw notFound();
      await actAtCheckout(tx, payment, call.body.outcome);
      return { payment: await paymentView(tx, (await payments.find(tx, payment.id))!) };
    }),

  completeSubscription: (call) =>
    call.commit((tx) => change(tx, call.params.id, (row) => actAtPlanCheckout(tx, row, call.body.outcome))),

  setRenewals: (call) => call.commit((tx) => change(tx, call.params.id, (row) => setRenewalOutcome(tx, row, call.body.outcome))),
} satisfies Partial<Handlers>;
