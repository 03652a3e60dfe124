import { states } from "../files.ts";
import type { Mutant } from "../mutant.ts";

const plans = "server/billing/subscriptions/service.ts";
const renewals = "server/billing/subscriptions/renewals.ts";
const cancellations = "server/billing/cancellations.ts";

export const subscriptionsRules: readonly Mutant[] = [
  {
    rule: "a checkout that started is incomplete",
    test: "api/billing-subscriptions",
    edits: [[plans, 'status: "incomplete",\n    provider', 'status: "past_due",\n    provider']],
  },
  {
    rule: "a paid checkout is active",
    test: "api/billing-subscriptions",
    edits: [[states, 'incomplete: { start: "active"', 'incomplete: { start: "past_due"']],
  },
  {
    rule: "a paid plan grants its hours",
    test: "api/billing-subscriptions",
    edits: [
      [
        "server/billing/subscriptions/rules.ts",
        "const granted = move(accounts.minutesIssued, accounts.minutes(ownerId), plan.minutesPerCycle)",
        "const granted = move(accounts.minutesIssued, accounts.minutes(ownerId), plan.minutesPerCycle / 2)",
      ],
    ],
  },
  {
    rule: "event subscription.created",
    test: "api/billing-subscriptions",
    edits: [[plans, 'await emitSubscription(deps, tx, "subscription.created", started);', ""]],
  },
  {
    rule: "event subscription.renewed",
    test: "api/billing-subscriptions",
    edits: [[plans, 'await emitSubscription(deps, tx, "subscription.renewed", renewed);', ""]],
  },
  {
    rule: "a failed renewal is past due",
    test: "api/billing-subscriptions",
    edits: [[states, 'active: { renew: "active", miss: "past_due"', 'active: { renew: "active", miss: "active"']],
  },
  {
    rule: "event subscription.payment_failed",
    test: "api/billing-subscriptions",
    edits: [[renewals, 'await emitSubscription(deps, tx, "subscription.payment_failed", late, next);', ""]],
  },
  {
    rule: "a later success is active again",
    test: "api/billing-subscriptions",
    edits: [[states, 'active: { renew: "active"', 'active: { renew: "past_due"']],
  },
  {
    rule: "a cancelled plan runs to the end of its period",
    test: "api/billing-subscriptions",
    edits: [[cancellations, 'row.status === "past_due" ? await end', 'row.status !== "incomplete" ? await end']],
  },
  {
    rule: "event subscription.cancelled",
    test: "api/billing-subscriptions",
    edits: [[cancellations, '  await emitSubscription(deps, tx, "subscription.cancelled", result);\n', ""]],
  },
  {
    rule: "event subscription.cancelled when the plan ends",
    test: "api/billing-subscriptions",
    edits: [[renewals, '    await emitSubscription(deps, tx, "subscription.cancelled", ended);\n', ""]],
  },
  {
    rule: "event subscription.cancelled of the old plan when the plan changes",
    test: "api/billing-subscriptions",
    edits: [[plans, '  await emitSubscription(deps, tx, "subscription.cancelled", ended);\n', ""]],
  },
  {
    rule: "resuming undoes the cancellation",
    test: "api/billing-subscriptions",
    edits: [[cancellations, "{ cancel_at_period_end: 0, cancelled_at: null", "{ cancel_at_period_end: 1, cancelled_at: null"]],
  },
  {
    rule: "a plan change ends the old plan at that moment",
    test: "api/billing-subscriptions",
    edits: [[plans, "  if (running) await replace(deps, tx, running);\n", ""]],
  },
  {
    rule: "a cancelled plan does not renew",
    test: "api/billing-subscriptions",
    edits: [[renewals, "if (row.cancel_at_period_end === 1 || ", "if (row.cancel_at_period_end === 2 || "]],
  },
];
