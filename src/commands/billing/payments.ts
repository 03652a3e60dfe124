import { arg, define } from "../../cli/define.ts";
import { paymentView } from "./view.ts";

const paymentsList = define({
  name: "payments list",
  aliases: ["payments"],
  operation: "listPayments",
  list: true,
  examples: ["playtest billing payments list", "playtest billing payments list --all --csv -o payments.csv"],
  view: paymentView,
});

const paymentsShow = define({
  name: "payments show",
  operation: "getPayment",
  args: { payment: arg.id("Payment id", "listPayments", "status") },
  examples: ["playtest billing payments show 7be02c11"],
  view: paymentView,
});

export const paymentsCommands = [paymentsList, paymentsShow];
