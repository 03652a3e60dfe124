import type { Group } from "../../cli/define.ts";
import { aboutMoney } from "../shared/without-payments.ts";
import { balance } from "./balance.ts";
import { budgetsList, budgetsRemove, budgetsSet } from "./budgets.ts";
import { creditAdd } from "./credit-add.ts";
import { creditX402 } from "./credit-x402.ts";
import { creditX402Prove } from "./credit-x402-prove.ts";
import { forecast } from "./forecast.ts";
import { hours, hoursHistory } from "./hours.ts";
import { invoice } from "./invoice.ts";
import { detailsSet, detailsShow, invoicesList } from "./invoices.ts";
import { paymentsList, paymentsShow } from "./payments.ts";
import { plans } from "./plans.ts";
import { spend } from "./spend.ts";
import { subscriptionCancel, subscriptionCheckout, subscriptionResume, subscriptionShow } from "./subscription.ts";

export const billing: Group = {
  commands: [
    balance,
    paymentsList,
    paymentsShow,
    invoice,
    invoicesList,
    detailsShow,
    detailsSet,
    creditAdd,
    creditX402,
    creditX402Prove,
    plans,
    subscriptionShow,
    subscriptionCheckout,
    subscriptionCancel,
    subscriptionResume,
    hours,
    hoursHistory,
    budgetsList,
    budgetsSet,
    budgetsRemove,
    forecast,
    spend,
  ].map(aboutMoney),
  fallback: "payments list",
};
