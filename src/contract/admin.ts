import * as z from "zod";
import { auditEntry } from "./accounts/audit-entry.ts";
import { payoutTotals } from "./accounts/statements.ts";
import { disputes } from "./admin/disputes.ts";
import { flaggedPayments } from "./admin/flagged-payments.ts";
import { groups } from "./admin/groups.ts";
import { invitations } from "./admin/invitations.ts";
import { jobs } from "./admin/jobs.ts";
import { mails } from "./admin/mails.ts";
import { payoutBatches } from "./admin/payout-batches.ts";
import { payouts } from "./admin/payouts.ts";
import { operatedPlaytests } from "./admin/playtests.ts";
import { payment } from "./billing.ts";
import { audited, endpoint, roleScopes, roles } from "./endpoint.ts";
import { cents, email, id, minutes, page, pageQuery, readableText, scopeName, text, timestamp } from "./fields.ts";
import { category, game } from "./games.ts";
import { chains, currencies } from "./headers.ts";
import { playtest } from "./playtests.ts";
import { blockReasons, playtester as person, slotDetail } from "./slots.ts";
import { depositStatuses } from "./states/index.ts";

const own = { access: ["admin"], extension: true } as const;
const approves = { access: ["approve"], extension: true } as const;
const money = { access: ["money"], extension: true } as const;
const movesMoney = { ...money, confirmed: true } as const;
const accounts = { access: ["accounts"], extension: true } as const;

export const approval = z
  .strictObject({
    kind: z.enum(["playtest", "slot"]).meta({ description: "`playtest` for a free trial, `slot` for a video." }),
    playtestId: id(),
    slotId: id().nullable(),
    gameId: id(),
    gameName: z.string(),
    ownerId: id(),
    ownerName: z.string(),
    videoUrl: z.string().nullable().meta({ description: "Signed link to the video, valid for one hour; null for a trial." }),
    createdAt: timestamp(),
  })
  .meta({ id: "Approval" });

export const account = z
  .strictObject({
    id: id(),
    email: z.string(),
    role: z.enum(roles),
    displayName: z.string(),
    companyName: z.string(),
    emailVerified: z.boolean(),
    suspendedAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Account" });

export const adminAccount = z
  .strictObject({
    id: id(),
    name: z.string(),
    scopes: z.array(scopeName()).meta({ description: "What the administrator may do; `admin` includes all others." }),
    suspendedAt: timestamp().nullable().meta({ description: "When the administrator was revoked or suspended." }),
    createdAt: timestamp(),
  })
  .meta({ id: "AdminAccount" });

export const suspense = z
  .strictObject({
    id: id(),
    status: z.enum(depositStatuses).meta({ description: "`suspense` while it is unmatched, then `credited` or `refunded`." }),
    reason: z.string().meta({ description: "Why it is unmatched: `short`, `over`, `late`, `again`, `unclear` or `unmatched`." }),
    amountCents: cents().meta({ description: "Value at the recorded rate, or at the rate it was credited at." }),
    chain: z.enum(chains),
    currency: z.enum(currencies),
    cryptoAmount: z.string().meta({ description: "In whole coins, as a decimal string." }),
    txHash: z.string(),
    sender: z.string().nullable().meta({ description: "Address it came from, where the transaction says so." }),
    proof: z
      .strictObject({
        by: z.enum(["declared", "signature"]).meta({ description: "What shows that the sender is the account's address." }),
        userId: id().nullable().meta({ description: "Account that proved it." }),
        signature: z.string().nullable(),
        provedAt: timestamp().nullable(),
      })
      .nullable()
      .meta({ description: "Proof that an account controls the sender." }),
    userId: id().nullable().meta({ description: "Owner it belongs to, if known." }),
    displayName: z.string().nullable().meta({ description: "Name of that owner." }),
    paymentId: id().nullable().meta({ description: "Payment it was sent for, if known." }),
    note: z.string().nullable().meta({ description: "Why it was credited or refunded." }),
    resolvedBy: id().nullable(),
    resolvedAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Suspense" });

export const problemReport = z
  .strictObject({
    id: id(),
    slotId: id(),
    playtestId: id(),
    gameId: id(),
    gameName: z.string(),
    owner: person,
    playtester: person,
    reasonCode: z.enum(blockReasons),
    notes: z.string().nullable(),
    reportedAt: timestamp(),
    answerBy: timestamp().nullable().meta({ description: "When the slot is cancelled and refunded if nobody answers." }),
  })
  .meta({ id: "ProblemReport" });

const note = readableText(500).meta({ description: "Reason, recorded in the ledger." });
const reason = z
  .strictObject({
    reason: readableText(5000, 0).optional().meta({ description: "Reason, shown to the people concerned." }),
  })
  .prefault({});
const accountReply = z.strictObject({ user: account });
const grantReply = z.strictObject({
  user: account,
  balanceCents: cents(),
  playtestMinutes: minutes(),
});
const playtestReply = z.strictObject({ playtest });
const slotReply = z.strictObject({ slot: slotDetail });
const gameReply = z.strictObject({ game });

export const admin = {
  listApprovals: endpoint("GET /admin/approvals", {
    ...approves,
    summary: "List free trials and videos that wait for approval",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ approvals: z.array(approval) }),
  }),
  listProblems: endpoint("GET /admin/problems", {
    ...approves,
    summary: "List reported problems that wait for an answer, of all owners",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ problems: z.array(problemReport) }),
  }),
  approvePlaytest: endpoint("POST /admin/playtests/:id/approve", {
    ...approves,
    ...audited("playtest.approve"),
    summary: "Approve a free trial",
    reply: playtestReply,
  }),
  rejectPlaytest: endpoint("POST /admin/playtests/:id/reject", {
    ...approves,
    ...audited("playtest.reject", "reason"),
    summary: "Reject a free trial",
    body: reason,
    reply: playtestReply,
  }),
  approveVideo: endpoint("POST /admin/slots/:id/approve", {
    ...approves,
    ...audited("slot.approve"),
    summary: "Approve a public video",
    reply: slotReply,
  }),
  rejectVideo: endpoint("POST /admin/slots/:id/reject", {
    ...approves,
    ...audited("slot.reject", "reason"),
    summary: "Reject a public video",
    body: reason,
    reply: slotReply,
  }),
  listUsers: endpoint("GET /admin/users", {
    // A grant or a payout names its account by email address.
    access: { anyOf: ["accounts", "money"] },
    extension: true,
    summary: "List accounts",
    query: z.object({
      ...page,
      role: z.enum(roles).optional().meta({ description: "Only accounts with this role." }),
      email: text(254).optional().meta({ description: "Only the account with this email address." }),
      id: id().optional().meta({ description: "Only the account with this id." }),
      search: text(254, 1)
        .optional()
        .meta({ description: "Only accounts with this text in their name or email address, in any case." }),
    }),
    list: true,
    reply: z.strictObject({ users: z.array(account) }),
  }),
  verifyUser: endpoint("POST /admin/users/:id/verify", {
    ...accounts,
    ...audited("user.verify"),
    summary: "Mark an account's email address as verified",
    reply: accountReply,
  }),
  suspendUser: endpoint("POST /admin/users/:id/suspend", {
    ...accounts,
    ...audited("user.suspend"),
    summary: "Suspend an account",
    reply: accountReply,
  }),
  unsuspendUser: endpoint("POST /admin/users/:id/unsuspend", {
    ...accounts,
    ...audited("user.unsuspend"),
    summary: "Unsuspend an account",
    reply: accountReply,
  }),
  resetFactor: endpoint("POST /admin/users/:id/reset-factor", {
    ...accounts,
    ...audited("user.reset_factor"),
    confirmed: true,
    summary: "Remove the second factor of an account whose owner lost it",
    risk: "destroy",
    reply: accountReply,
  }),
  deleteUser: endpoint("DELETE /admin/users/:id", {
    ...accounts,
    ...audited("user.delete"),
    confirmed: true,
    summary: "Delete an account: the ledger stays, personal data goes",
    risk: "destroy",
    reply: accountReply,
  }),
  ...groups,
  suspendGame: endpoint("POST /admin/games/:id/suspend", {
    ...approves,
    ...audited("game.suspend"),
    summary: "Suspend a game and hide its offers",
    reply: gameReply,
  }),
  unsuspendGame: endpoint("POST /admin/games/:id/unsuspend", {
    ...approves,
    ...audited("game.unsuspend"),
    summary: "Unsuspend a game and show its offers again",
    reply: gameReply,
  }),
  grantCredit: endpoint("POST /admin/users/:id/credit", {
    ...movesMoney,
    ...audited("balance.grant_credit", "amountCents", "note"),
    summary: "Grant credit to an account",
    risk: "spend",
    body: z.strictObject({
      amountCents: z.int().min(1).max(100_000_000).meta({ description: "Credit to grant." }),
      note,
    }),
    reply: grantReply,
  }),
  grantHours: endpoint("POST /admin/users/:id/hours", {
    ...movesMoney,
    ...audited("balance.grant_minutes", "minutes", "note"),
    summary: "Grant playtest minutes to an account",
    risk: "spend",
    body: z.strictObject({
      minutes: z.int().min(1).max(10_000_000).meta({ description: "Playtest minutes to grant." }),
      note,
    }),
    reply: grantReply,
  }),
  ...disputes,
  ...flaggedPayments,
  ...operatedPlaytests,
  ...invitations,
  ...mails,
  ...jobs,
  listSuspense: endpoint("GET /admin/suspense", {
    ...money,
    summary: "List unmatched crypto deposits",
    query: z.object({
      ...page,
      status: z.enum(depositStatuses).optional().meta({ description: "Status to list; default `suspense`." }),
    }),
    list: true,
    reply: z.strictObject({ suspense: z.array(suspense) }),
  }),
  resolveSuspense: endpoint("POST /admin/suspense/:id/resolve", {
    ...movesMoney,
    ...audited("deposit.credit", "userId", "rateCents", "note"),
    summary: "Credit an unmatched deposit",
    risk: "spend",
    body: z.strictObject({
      userId: id().optional().meta({ description: "Owner to credit; default the owner of the payment it was sent for." }),
      rateCents: z
        .int()
        .min(1)
        .max(100_000_000)
        .optional()
        .meta({ description: "Price of one whole coin; default the recorded rate." }),
      note,
    }),
    reply: z.strictObject({ suspense, payment }),
  }),
  refundSuspense: endpoint("POST /admin/suspense/:id/refund", {
    ...movesMoney,
    ...audited("deposit.refund", "note"),
    summary: "Record that an unmatched deposit was refunded",
    risk: "destroy",
    body: z.strictObject({ note }),
    reply: z.strictObject({ suspense }),
  }),
  createCategory: endpoint("POST /admin/categories", {
    ...approves,
    ...audited("category.create"),
    summary: "Add a game category",
    body: z.strictObject({
      name: readableText(100).meta({ description: "Name of the category." }),
      slug: z
        .string()
        .max(100)
        .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lowercase words joined by hyphens")
        .meta({ description: "Short name for URLs, such as `pixel-art`." }),
    }),
    status: 201,
    reply: z.strictObject({ category }),
  }),
  ...payouts,
  ...payoutBatches,
  ...payoutTotals,
  listAdmins: endpoint("GET /admin/admins", {
    ...own,
    summary: "List administrators",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ admins: z.array(adminAccount) }),
  }),
  createAdmin: endpoint("POST /admin/admins", {
    ...own,
    // Otherwise a stolen key could make an administrator who needs no confirmation.
    confirmed: true,
    ...audited("user.create_admin", "scopes"),
    summary: "Add an administrator and get its first API key",
    body: z.strictObject({
      name: readableText(100).meta({ description: "Name of the person." }),
      scopes: z
        .array(z.enum(roleScopes.admin))
        .min(1)
        .max(4)
        .meta({ description: "What the administrator may do: `approve`, `money`, `accounts`, or `admin` for everything." }),
      email: email()
        .optional()
        .meta({ description: "Where emails about approvals and problems go, after the link that is sent there was opened." }),
    }),
    status: 201,
    reply: z.strictObject({ admin: adminAccount, apiKey: z.string() }),
    secretReply: true,
  }),
  revokeAdmin: endpoint("DELETE /admin/admins/:id", {
    ...own,
    ...audited("user.revoke_admin"),
    confirmed: true,
    summary: "Revoke an administrator and all API keys of that account",
    risk: "destroy",
    reply: z.strictObject({ admin: adminAccount }),
  }),
  listAudit: endpoint("GET /admin/audit", {
    ...own,
    summary: "List the audit log: admin actions, changes of credentials, payments and grants by people",
    query: z.object({
      ...page,
      actor: id().optional().meta({ description: "Only what this account did." }),
      action: text(100).optional().meta({ description: "Only this action, such as `user.suspend`." }),
      target: id().optional().meta({ description: "Only what was done to this account, key, payment or other target." }),
    }),
    list: true,
    reply: z.strictObject({ entries: z.array(auditEntry) }),
  }),
  getStats: endpoint("GET /admin/stats", {
    access: { anyOf: ["approve", "money", "accounts"] },
    extension: true,
    summary: "Show statistics of the whole marketplace",
    reply: z.strictObject({
      owners: z.int(),
      playtesters: z.int(),
      games: z.int(),
      activePlaytests: z.int(),
      openSlots: z.int(),
      pendingReviews: z.int(),
      pendingApprovals: z.int(),
      creditCents: z.int().meta({ description: "Total credit of all owners." }),
      payableCents: z.int().meta({ description: "Total earnings not paid out yet." }),
      lastBackupAt: timestamp()
        .nullable()
        .meta({ description: "When the server last made a backup by itself. Null: it made none." }),
      backupFailing: z.boolean().meta({
        description: "Whether backups that the server is to make fail or are overdue: `playtest serve doctor` says why.",
      }),
    }),
  }),
};
