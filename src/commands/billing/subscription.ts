import { define } from "../../cli/define.ts";
import { duration } from "../../io/text.ts";
import { checkoutFlags, notPaid, present, waitFor } from "./checkout.ts";
import { changedSubscriptionView, subscriptionView } from "./view.ts";

export const subscriptionShow = define({
  name: "subscription show",
  aliases: ["subscription"],
  summary: "Show the subscription and its hours",
  operation: "getSubscription",
  examples: ["playtest billing subscription show", "playtest billing subscription show --jq .nextRenewalAt"],
  async run(_, ctx) {
    const data = await ctx.api().getSubscription({});
    if (!data.subscription) ctx.out.note("No subscription. See `playtest billing plans`.");
    return { kind: "item", data, subject: data, view: subscriptionView };
  },
});

export const subscriptionCheckout = define({
  name: "subscription checkout",
  summary: "Subscribe or change plan at a hosted checkout",
  description:
    "Prints the address of the page to pay at. A change of plan ends the old one at once, without proration; its unused hours stay. " +
    "With --wait it ends when the payment did: 0 paid, 7 not paid, 8 still waiting.",
  operation: ["checkoutSubscription", "getSubscription", "completeSubscription"],
  body: "checkoutSubscription",
  flags: checkoutFlags,
  exits: [7, 8],
  examples: [
    "playtest billing subscription checkout --plan-key indie_monthly --open --wait",
    "playtest billing subscription checkout --plan-key indie_monthly --sandbox",
  ],
  async run({ body, flags }, ctx) {
    const started = await ctx.api().checkoutSubscription({ body });
    const id = started.subscriptionId;
    if (flags.sandbox) await ctx.api().completeSubscription({ params: { id }, body: { outcome: "paid" } });
    else {
      await present(ctx, started.checkoutUrl, flags);
      if (!flags.wait) return ctx.text(started.checkoutUrl, started);
      ctx.out.note(`Pay here: ${started.checkoutUrl}`);
    }
    const data = await waitFor(ctx, flags, "the subscription", async () => {
      const found = await ctx.api().getSubscription({});
      const waiting = found.subscription?.id !== id || found.subscription.status === "incomplete";
      return waiting ? undefined : found;
    });
    if (data.subscription?.status !== "active") throw notPaid("The plan", data.subscription?.status ?? "gone");
    return { kind: "item", data, subject: data, view: subscriptionView };
  },
});

export const subscriptionCancel = define({
  name: "subscription cancel",
  summary: "End the subscription when its period ends; hours stay",
  operation: "cancelSubscription",
  confirm: () => "End the subscription when its period ends? What was paid is not refunded.",
  examples: ["playtest billing subscription cancel --yes"],
  async run(_, ctx) {
    const data = await ctx.api().cancelSubscription({});
    const end = data.subscription.currentPeriodEnd;
    if (end)
      ctx.out.note(
        `It ends in ${duration(Math.max(0, (Date.parse(end) - ctx.now()) / 1000))}; undo with \`playtest billing subscription resume\`.`,
      );
    return ctx.item(data, changedSubscriptionView);
  },
});

export const subscriptionResume = define({
  name: "subscription resume",
  summary: "Undo a scheduled cancellation",
  operation: "resumeSubscription",
  examples: ["playtest billing subscription resume"],
  run: async (_, ctx) => ctx.item(await ctx.api().resumeSubscription({}), changedSubscriptionView),
});
