import type { Tx } from "../../app/tx.ts";
import type { Handlers } from "../../http/call.ts";
import { accounts } from "../../ledger/rules.ts";
import { balance } from "../../ledger/store.ts";
import { isoOrNull } from "../../lib/time.ts";
import { take } from "../budgets/service.ts";
import { planPayment, toldOf, withinBudgets } from "../budgets/spending.ts";
import { cancelAtPeriodEnd, resume } from "../cancellations.ts";
import { requireCards, requirePayments } from "../payments.ts";
import * as payments from "../store.ts";
import { planView, subscriptionView } from "../views.ts";
import { hours, planOf } from "./plans.ts";
import { outlook, subscriptionAt } from "./rules.ts";
import { startCheckout } from "./service.ts";
import * as subscriptionStore from "./store.ts";

export const subscriptions = {
  getSubscription: (call) =>
    call.read(async (q) => {
      const ownerId = call.principal.userId;
      const row = await subscriptionStore.findCurrent(q, ownerId);
      const playtestMinutes = await balance(q, accounts.minutes(ownerId));
      const subscription = row && subscriptionAt(row, q.now);
      const failed = subscription?.status === "past_due" ? await payments.latestOf(q, subscription.id, "failed") : undefined;
      const { nextRenewalAt, endsAt } = subscription
        ? outlook(subscription, failed?.updated_at)
        : { nextRenewalAt: null, endsAt: null };
      return {
        subscription: subscription ? subscriptionView(subscription) : null,
        plan: subscription ? planView(planOf(subscription.plan_key)) : null,
        playtestMinutes,
        playtestHours: hours(playtestMinutes),
        nextRenewalAt: isoOrNull(nextRenewalAt),
        endsAt: isoOrNull(endsAt),
        cancelAtPeriodEnd: subscription?.cancel_at_period_end === 1,
      };
    }),

  async checkoutSubscription(call) {
    requirePayments(call.deps);
    requireCards(call.deps, "minutes");
    const { planKey } = call.body;
    const start = async (tx: Tx) => {
      const planned = await planPayment(tx, call.principal, planOf(planKey).priceCents);
      const started = await startCheckout(call.deps, tx, call.principal.userId, planKey);
      return { ...started, ...toldOf(await take(tx, planned, { paymentId: started.paymentId })) };
    };
    return call.commit((tx) => withinBudgets(tx, () => start(tx)));
  },

  cancelSubscription: (call) =>
    call.commit(async (tx) => ({ subscription: subscriptionView(await cancelAtPeriodEnd(tx, call.principal.userId)) })),

  resumeSubscription: (call) =>
    call.commit(async (tx) => {
      requirePayments(call.deps);
      return { subscription: subscriptionView(await resume(tx, call.principal.userId)) };
    }),
} satisfies Partial<Handlers>;
