import type { Group } from "../../cli/define.ts";
import { adminsCommands } from "./admins.ts";
import { agreementCommands } from "./agreement.ts";
import { approvalsCommands } from "./approvals.ts";
import { audit } from "./audit.ts";
import { categoriesCreate, categoriesList, stats } from "./categories.ts";
import { suspendGame, unsuspendGame } from "./games.ts";
import { groups, groupsAdd, groupsCreate, groupsDelete, groupsMembers, groupsRemove } from "./groups.ts";
import { inviteCommands } from "./invite.ts";
import { chargeback, disputes, disputesLift, flagged, flaggedClear, grant } from "./money.ts";
import { owed, payoutTotals } from "./owed.ts";
import { payoutBatches, payouts, payoutsCreate, payoutsFail, payoutsFile, payoutsPaid, payoutsShow } from "./payouts.ts";
import { payoutsSettle } from "./payouts-settle.ts";
import { playtestsCommands } from "./playtests.ts";
import { problems } from "./problems.ts";
import { connectCommands } from "./publishing/connect.ts";
import { publishingCommands } from "./publishing/publications.ts";
import { retriesCommands } from "./retries.ts";
import { suspenseCommands } from "./suspense.ts";
import { deleteUser, resetFactor, suspend, unsuspend, users, verify } from "./users.ts";

export const admin: Group = {
  commands: [
    ...approvalsCommands,
    problems,
    ...playtestsCommands,
    ...publishingCommands,
    ...connectCommands,
    ...inviteCommands,
    ...retriesCommands,
    users,
    verify,
    suspend,
    unsuspend,
    resetFactor,
    deleteUser,
    ...agreementCommands,
    groups,
    groupsCreate,
    groupsMembers,
    groupsAdd,
    groupsRemove,
    groupsDelete,
    suspendGame,
    unsuspendGame,
    grant,
    categoriesList,
    categoriesCreate,
    chargeback,
    disputes,
    disputesLift,
    flagged,
    flaggedClear,
    ...suspenseCommands,
    owed,
    payouts,
    payoutsCreate,
    payoutBatches,
    payoutTotals,
    payoutsShow,
    payoutsFile,
    payoutsSettle,
    payoutsPaid,
    payoutsFail,
    ...adminsCommands,
    audit,
    stats,
  ],
  fallback: "approvals",
};
