import type { Group } from "../../cli/define.ts";
import { advance, clock } from "./clock.ts";
import { mail } from "./mail.ts";
import { pay, subscriptionPay, subscriptionRenewals } from "./payments.ts";
import { play } from "./play.ts";
import { testersCreate } from "./testers.ts";
import { transaction } from "./transaction.ts";
import { verify } from "./verify.ts";

export const sandbox: Group = {
  commands: [play, advance, clock, mail, verify, pay, subscriptionPay, subscriptionRenewals, transaction, testersCreate],
  fallback: "mail",
};
