import type { planKeys } from "../../../../src/contract/billing.ts";
import type { Data } from "../../../../src/contract/index.ts";
import { studio } from "../../../../src/contract/pages/addresses.ts";
import { usd } from "../../../lib/money.ts";
import { html, type Markup } from "../../html.ts";
import { button } from "../../shared/parts.ts";
import { time } from "../../shared/text.ts";
import { continueToCheckout } from "../orders/pay.ts";
import { action, type StudioContext } from "../types.ts";

type PlanKey = (typeof planKeys)[number];
type Plan = Data<"listPlans">["plans"][number];
type Current = Data<"getSubscription">;

const every = { month: "a month", year: "a year" } as const;

/** What becomes of a plan that is past due when it is subscribed to again. */
const paidAnew = html`<p class="soft">A new period begins as soon as you pay, and the renewal is not charged to your present card any more. Its hours stay.</p>`;

/** What becomes of the present plan when another is chosen. */
const replaced = html`<p class="soft">Your present plan ends as soon as you pay for this one, without proration: nothing of its price is refunded. Its hours stay.</p>`;

/** Whether there is a plan now: one whose first payment was not completed gives nothing yet. */
const isRunning = ({ subscription }: Current): boolean =>
  subscription?.status === "active" || subscription?.status === "past_due";

const choose = action({ at: studio.billing.below("plans/:id") }, async (context) => {
  const { call, id, form } = context;
  // The operation says which plans there are.
  const body = { planKey: id as PlanKey };
  const { data } = await call("checkoutSubscription", { idempotencyKey: form.formKey, body });
  const { plans } = (await call("listPlans")).data;
  const cents = plans.find(({ key }) => key === id)?.priceCents ?? 0;
  return continueToCheckout(context, data.checkoutUrl, cents);
});

const cancel = action({ at: studio.billing.below("subscription/cancel") }, async ({ call, form }) => {
  const { subscription } = (await call("cancelSubscription", { idempotencyKey: form.formKey })).data;
  return `${studio.billing()}?done=${subscription.status === "cancelled" ? "ended" : "cancelled"}`;
});

const resume = action({ at: studio.billing.below("subscription/resume") }, async ({ call, form }) => {
  await call("resumeSubscription", { idempotencyKey: form.formKey });
  return `${studio.billing()}?done=resumed`;
});

export const subscriptionActions = [choose, cancel, resume];

/** The plan of the account, and those that there are. Nothing where there is neither. */
export function subscriptionSection(context: StudioContext, current: Current, { plans, configured }: Data<"listPlans">) {
  const runs = isRunning(current);
  if (!runs && !configured) return false;
  return html`<section id="plan"><h2>Plan</h2>
${runs ? running(context, current) : noPlan(current)}
${configured && html`<ul class="tiles">${plans.map((plan) => planCard(context, plan, runs ? current.subscription : null))}</ul>`}</section>`;
}

const noPlan = ({ subscription }: Current): Markup =>
  html`<p>No plan. A plan gives you playtest hours for each of its periods.</p>
${subscription?.status === "incomplete" && html`<p>The payment of ${subscription.planName} is not complete. If you paid just now, reload this page in a few minutes. Otherwise subscribe again.</p>`}
${subscription?.endedReason === "payment_failed" && html`<p>${subscription.planName} ended on ${time(subscription.endedAt!)}, because its renewal could not be charged. Your hours stay.</p>`}`;

function running(context: StudioContext, current: Current): Markup {
  const { planName, priceCents, interval, status } = current.subscription!;
  return html`<p><strong>${planName}</strong>, ${usd(priceCents)} ${every[interval]}. ${outlook(current)}</p>
${status === "past_due" && html`<p class="bad">The last renewal could not be charged. Check your card, or subscribe again with another card.</p>`}
${current.endsAt !== null ? button(context, resume.at(), "Renew it after all", "quiet") : cancelForm(context, current)}`;
}

function outlook({ subscription, nextRenewalAt, endsAt }: Current): Markup | false {
  if (endsAt !== null) return html`It ends on ${time(endsAt)} and is not charged again.`;
  if (nextRenewalAt === null) return false;
  if (subscription!.status === "past_due") return html`Its renewal is tried again on ${time(nextRenewalAt)}.`;
  return html`It renews on ${time(nextRenewalAt)}, and then each ${subscription!.interval}, until you cancel it.`;
}

const cancelForm = (context: StudioContext, { subscription }: Current): Markup =>
  html`<details><summary>Cancel the plan</summary><p>It ends ${subscription!.status === "past_due" ? "at once" : "with its period"} and is not charged again. Its hours stay.</p>${button(context, cancel.at(), "Cancel the plan", "danger")}</details>`;

function planCard(context: StudioContext, plan: Plan, current: Current["subscription"]): Markup {
  const { key, displayName, priceCents, interval, hoursPerCycle, pricePerHourCents } = plan;
  return html`<li class="card"><h3>${displayName}</h3><p class="amount">${usd(priceCents)}</p><p class="soft">${every[interval]}, until you cancel it</p>
<p>${hoursPerCycle} playtest hours each ${interval}, ${usd(pricePerHourCents)} an hour</p>
${choice(context, key, current)}</li>`;
}

function choice(context: StudioContext, key: PlanKey, current: Current["subscription"]): Markup {
  const offer = (label: string) => button(context, choose.at(key), label, "quiet");
  if (current === null) return offer("Subscribe");
  if (current.planKey !== key) return html`${offer("Change to this plan")}${replaced}`;
  const badge = html`<p><span class="badge good">Your plan</span></p>`;
  return current.status === "past_due" ? html`${badge}${offer("Subscribe again with another card")}${paidAnew}` : badge;
}
