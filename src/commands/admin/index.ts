import type { Group } from "../../cli/define.ts";
import { approvals, approve, reject, showApproval } from "./approvals.ts";
import { categoriesCreate, stats } from "./categories.ts";
import { suspendGame, unsuspendGame } from "./games.ts";
import { chargeback, grant, payouts, payoutsCreate, payoutsFail } from "./money.ts";
import { suspense, suspenseRefund, suspenseResolve } from "./suspense.ts";
import { suspend, unsuspend, users, verify } from "./users.ts";

export const admin: Group = {
  commands: [
    approvals,
    showApproval,
    approve,
    reject,
    users,
    verify,
    suspend,
    unsuspend,
    suspendGame,
    unsuspendGame,
    grant,
    categoriesCreate,
    chargeback,
    suspense,
    suspenseResolve,
    suspenseRefund,
    payouts,
    payoutsCreate,
    payoutsFail,
    stats,
  ],
};
