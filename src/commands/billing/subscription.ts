import { webUrl } from "../../api/url.ts";
import { type Context, define } from "../../cli/define.ts";
import type { Data } from "../../contract/index.ts";
import { duration } from "../../io/text.ts";
import { noteBudgets } from "../shared/budgets/left.ts";
import { requireSandbox } from "../shared/sandbox.ts";
import { type CheckoutFlags, checkoutFlags, notPaid, openPage, pollPayment, pollUntilPaid, requireWait } from "./checkout.ts";
import { changedSubscriptionView, subscriptionView } from "./view.ts";

const checkoutLine = (planKey: string) => `\`playtest billing subscription checkout --plan-key ${planKey}\``;

const subscriptionShow = define({
  name: "subscription show",
  aliases: ["subscription"],
  summary: "Show the subscription and its hours",
  operation: "getSubscription",
  examples: ["playtest billing subscription show", "playtest billing subscription show --jq .nextRenewalAt"],
  async run(_, ctx) {
    const data = await ctx.api().getSubscription({});
    if (!data.subscription) ctx.out.note("No subscription. See `playtest billing plans`.");
    if (data.subscription?.status === "past_due")
      ctx.out.note(
        `The last renewal could not be charged. To pay with another card: ${checkoutLine(data.subscription.planKey)}.`,
      );
    return { kind: "item", data, subject: data, view: subscriptionView };
  },
});

const subscriptionCheckout = define({
  name: "subscription checkout",
  summary: "Subscribe or change the plan at a hosted checkout",
  description:
    "Prints the URL of the checkout page. Changing the plan ends the old one immediately, without proration; unused hours are kept. " +
    "Subscribing again to a plan that is past due pays for it with another card. " +
    "With --wait, waits for the payment and exits with 0 if paid, 7 if not paid, 8 if still pending.",
  operation: ["checkoutSubscription", "getPayment", "getSubscription", "completeSubscription"],
  body: "checkoutSubscription",
  flags: checkoutFlags,
  exits: [7, 8],
  examples: [
    "playtest billing subscription checkout --plan-key indie_monthly --open --wait",
    "playtest billing subscription checkout --plan-key indie_monthly --sandbox",
  ],
  async run({ body, flags }, ctx) {
    if (!flags.sandbox) requireWait(flags);
    if (flags.sandbox) await requireSandbox(ctx);
    const started = await ctx.api().checkoutSubscription({ body });
    const id = started.subscriptionId;
    noteBudgets(ctx, started.budgets);
    if (flags.sandbox) await ctx.api().completeSubscription({ params: { id }, body: { outcome: "paid" } });
    else {
      const { href } = webUrl(started.checkoutUrl);
      await openPage(ctx, href, flags);
      if (!flags.wait) return ctx.text(href, started);
      ctx.out.note(`Pay here: ${href}`);
    }
    const data = await paidPlan(ctx, flags, started);
    if (data.subscription?.status !== "active") throw notPaid("subscription", data.subscription?.status ?? "none");
    return { kind: "item", data, subject: data, view: subscriptionView };
  },
});

/** The plan after its payment has ended. A server that does not name the payment shows only by the plan that it was paid. */
async function paidPlan(
  ctx: Context,
  flags: CheckoutFlags,
  { subscriptionId, paymentId }: Data<"checkoutSubscription">,
): Promise<Data<"getSubscription">> {
  if (paymentId !== undefined) {
    const { status } = await pollPayment(ctx, flags, "subscription", paymentId);
    if (status !== "completed") throw notPaid("subscription", status);
    return ctx.api().getSubscription({});
  }
  return pollUntilPaid(ctx, flags, "subscription", async () => {
    const found = await ctx.api().getSubscription({});
    const waiting = found.subscription?.id !== subscriptionId || found.subscription.status === "incomplete";
    return waiting ? undefined : found;
  });
}

const subscriptionCancel = define({
  name: "subscription cancel",
  summary: "Cancel the plan with its period, or at once if it is past due; hours stay",
  operation: "cancelSubscription",
  confirm: () => "Cancel the subscription? It ends with its period, or now if it is past due. Past payments are not refunded.",
  examples: ["playtest billing subscription cancel --yes"],
  async run(_, ctx) {
    const data = await ctx.api().cancelSubscription({});
    const { status, currentPeriodEnd: end, planKey } = data.subscription;
    if (status === "cancelled") ctx.out.note(`The subscription has ended. To start it again: ${checkoutLine(planKey)}.`);
    else if (end)
      ctx.out.note(
        `The subscription ends in ${duration(Math.max(0, (Date.parse(end) - ctx.serverNow()) / 1000))}. To undo: \`playtest billing subscription resume\`.`,
      );
    return ctx.item(data, changedSubscriptionView);
  },
});

const subscriptionResume = define({
  name: "subscription resume",
  operation: "resumeSubscription",
  examples: ["playtest billing subscription resume"],
  view: changedSubscriptionView,
});

export const subscriptionCommands = [subscriptionShow, subscriptionCheckout, subscriptionCancel, subscriptionResume];
