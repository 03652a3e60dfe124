import { cancelAtPeriodEnd, resume } from "../billing/cancellations.ts";
import { requireCards } from "../billing/payments.ts";
import { startCheckout } from "../billing/subscriptions.ts";
import type { Deps } from "../deps.ts";
import { hours, planOf } from "../domain/plans.ts";
import { outlook, subscriptionAt } from "../domain/subscriptions.ts";
import { accounts } from "../ledger/rules.ts";
import { balance } from "../ledger/store.ts";
import * as subscriptionStore from "../store/subscriptions.ts";
import { planView, subscriptionView } from "./billing-views.ts";
import type { Some } from "./index.ts";
import { isoOrNull } from "./views.ts";

type Ops = "getSubscription" | "checkoutSubscription" | "cancelSubscription" | "resumeSubscription";

export function subscriptions(deps: Deps): Some<Ops> {
  return {
    getSubscription: (call) =>
      call.read(async (q) => {
        const ownerId = call.principal.userId;
        const row = await subscriptionStore.findCurrent(q, ownerId);
        const playtestMinutes = await balance(q, accounts.minutes(ownerId));
        const subscription = row && subscriptionAt(row, deps.clock.now());
        const { nextRenewalAt, endsAt } = subscription ? outlook(subscription) : { nextRenewalAt: null, endsAt: null };
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
      requireCards(deps);
      return call.commit((tx) => startCheckout(deps, tx, call.principal.userId, call.body.planKey));
    },

    cancelSubscription: (call) =>
      call.commit(async (tx) => ({ subscription: subscriptionView(await cancelAtPeriodEnd(deps, tx, call.principal.userId)) })),

    resumeSubscription: (call) =>
      call.commit(async (tx) => ({ subscription: subscriptionView(await resume(deps, tx, call.principal.userId)) })),
  };
}
