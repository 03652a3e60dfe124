import { arg, type Context, define, detail, type ItemOf, viewOf } from "../../cli/define.ts";
import { usage } from "../../errors.ts";

const paymentView = viewOf<ItemOf<"completePayment">>(["id", "amount:amountCents", "status", "provider"]);

const subscriptionView = viewOf<ItemOf<"completeSubscription">>([
  "id",
  "plan:planKey",
  "status",
  detail("period ends:currentPeriodEnd", "ago"),
]);

const ownSubscription = { ...arg.optional("Subscription id (default: your own)"), id: {} };

async function subscriptionId(ctx: Context, given: string | undefined): Promise<string> {
  const id = given ?? (await ctx.api().getSubscription({})).subscription?.id;
  if (id === undefined) throw usage("You have no subscription.", "Start one with `playtest billing subscription checkout`.");
  return id;
}

const pay = define({
  name: "pay",
  summary: "Do what a person would do at the checkout of a payment",
  description: "The outcome is paid unless --outcome says otherwise. A completed payment can be disputed.",
  operation: "completePayment",
  body: "completePayment",
  partialBody: true,
  args: { payment: arg.id("Payment id", "listPayments", "status") },
  examples: ["playtest sandbox pay PAYMENT", "playtest sandbox pay PAYMENT --outcome declined"],
  async run({ args, body }, ctx) {
    const request = { params: { id: args.payment }, body: { ...body, outcome: body.outcome ?? "paid" } };
    return ctx.item(await ctx.api().completePayment(request), paymentView);
  },
});

const subscriptionPay = define({
  name: "subscription pay",
  summary: "Do what a person would do at the checkout of a subscription",
  description: "The outcome is paid unless --outcome says otherwise.",
  operation: ["completeSubscription", "getSubscription"],
  body: "completeSubscription",
  partialBody: true,
  args: { subscription: ownSubscription },
  examples: ["playtest sandbox subscription pay", "playtest sandbox subscription pay 5b7702ae --outcome declined"],
  async run({ args, body }, ctx) {
    const params = { id: await subscriptionId(ctx, args.subscription) };
    const request = { params, body: { ...body, outcome: body.outcome ?? "paid" } };
    return ctx.item(await ctx.api().completeSubscription(request), subscriptionView);
  },
});

const subscriptionRenewals = define({
  name: "subscription renewals",
  summary: "Decide whether the next renewals of a subscription are paid or fail",
  operation: ["setRenewals", "getSubscription"],
  body: "setRenewals",
  args: { subscription: ownSubscription },
  examples: ["playtest sandbox subscription renewals --outcome failed"],
  async run({ args, body }, ctx) {
    const params = { id: await subscriptionId(ctx, args.subscription) };
    return ctx.item(await ctx.api().setRenewals({ params, body }), subscriptionView);
  },
});

export const paymentsCommands = [pay, subscriptionPay, subscriptionRenewals];
