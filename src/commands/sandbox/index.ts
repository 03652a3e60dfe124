import type { Group } from "../../cli/define.ts";
import { clockCommands } from "./clock.ts";
import { mail } from "./mail.ts";
import { paymentsCommands } from "./payments.ts";
import { play } from "./play.ts";
import { testersCreate } from "./testers.ts";
import { transaction } from "./transaction.ts";
import { verify } from "./verify.ts";

export const sandbox: Group = {
  commands: [play, ...clockCommands, mail, verify, ...paymentsCommands, transaction, testersCreate],
  fallback: "mail",
};
