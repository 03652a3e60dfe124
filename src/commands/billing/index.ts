import type { Group } from "../../cli/define.ts";
import { aboutMoney } from "../shared/without-payments.ts";
import { balance } from "./balance.ts";
import { budgetsCommands } from "./budgets.ts";
import { creditAdd } from "./credit-add.ts";
import { creditX402 } from "./credit-x402.ts";
import { creditX402Prove } from "./credit-x402-prove.ts";
import { forecast } from "./forecast.ts";
import { hoursCommands } from "./hours.ts";
import { invoice } from "./invoice.ts";
import { invoicesCommands } from "./invoices.ts";
import { paymentsCommands } from "./payments.ts";
import { plans } from "./plans.ts";
import { spend } from "./spend.ts";
import { subscriptionCommands } from "./subscription.ts";

export const billing: Group = {
  commands: [
    balance,
    ...paymentsCommands,
    invoice,
    ...invoicesCommands,
    creditAdd,
    creditX402,
    creditX402Prove,
    plans,
    ...subscriptionCommands,
    ...hoursCommands,
    ...budgetsCommands,
    forecast,
    spend,
  ].map(aboutMoney),
  fallback: "payments list",
};
