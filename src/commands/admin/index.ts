import type { Group } from "../../cli/define.ts";
import { admins, adminsCreate, adminsRevoke } from "./admins.ts";
import { agreementEnd, agreementSet, agreementShow, consents } from "./agreement.ts";
import { approvals, approve, reject, showApproval } from "./approvals.ts";
import { audit } from "./audit.ts";
import { categoriesCreate, categoriesList, stats } from "./categories.ts";
import { suspendGame, unsuspendGame } from "./games.ts";
import { groups, groupsAdd, groupsCreate, groupsDelete, groupsMembers, groupsRemove } from "./groups.ts";
import { invitations, invitationsRevoke, invite } from "./invite.ts";
import { chargeback, disputes, disputesLift, grant } from "./money.ts";
import { owed, payoutTotals } from "./owed.ts";
import { payoutBatches, payouts, payoutsCreate, payoutsFail, payoutsFile, payoutsPaid, payoutsShow } from "./payouts.ts";
import { payoutsSettle } from "./payouts-settle.ts";
import { problems } from "./problems.ts";
import { publishing, publishingMove, publishingRemove, publishingRetry } from "./publishing.ts";
import { failedJobs, jobsRetry, mailList, mailRetry } from "./retries.ts";
import { suspense, suspenseRefund, suspenseResolve } from "./suspense.ts";
import { deleteUser, resetFactor, suspend, unsuspend, users, verify } from "./users.ts";

export const admin: Group = {
  commands: [
    approvals,
    showApproval,
    approve,
    reject,
    problems,
    publishing,
    publishingRetry,
    publishingMove,
    publishingRemove,
    invite,
    invitations,
    invitationsRevoke,
    mailList,
    mailRetry,
    failedJobs,
    jobsRetry,
    users,
    verify,
    suspend,
    unsuspend,
    resetFactor,
    deleteUser,
    agreementShow,
    agreementSet,
    agreementEnd,
    consents,
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
    suspense,
    suspenseResolve,
    suspenseRefund,
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
    admins,
    adminsCreate,
    adminsRevoke,
    audit,
    stats,
  ],
  fallback: "approvals",
};
