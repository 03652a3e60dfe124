import { arg, define } from "../../cli/define.ts";
import { paymentView } from "./view.ts";

export const paymentsList = define({
  name: "payments list",
  aliases: ["payments"],
  summary: "List payments",
  operation: "listPayments",
  list: true,
  examples: ["playtest billing payments list", "playtest billing payments list --all --csv -o payments.csv"],
  run: async ({ range }, ctx) => ctx.list("listPayments", {}, range, paymentView),
});

export const paymentsShow = define({
  name: "payments show",
  summary: "Show a payment",
  operation: "getPayment",
  args: { payment: arg.id("Payment id", "listPayments", "status") },
  examples: ["playtest billing payments show 7be02c11"],
  run: async ({ args }, ctx) => ctx.item(await ctx.api().getPayment({ params: { id: args.payment } }), paymentView),
});
