import { z } from "zod";
import { payment } from "./billing.ts";
import { endpoint, roles } from "./endpoint.ts";
import { cents, id, minutes, page, pageQuery, text, timestamp } from "./fields.ts";
import { category, game } from "./games.ts";
import { chains, currencies } from "./headers.ts";
import { playtest } from "./playtests.ts";
import { slotDetail } from "./slots.ts";
import { depositStatuses, payoutStatuses } from "./states/index.ts";

const own = { access: ["admin"], extension: true } as const;

export const approval = z
  .strictObject({
    kind: z.enum(["playtest", "slot"]).meta({ description: "`playtest` (a free trial) or `slot` (its video)." }),
    playtestId: id(),
    slotId: id().nullable(),
    gameId: id(),
    gameName: z.string(),
    ownerId: id(),
    videoUrl: z.string().nullable().meta({ description: "Signed link to the video, valid one hour; null for a trial." }),
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

export const payout = z
  .strictObject({
    id: id(),
    userId: id(),
    amountCents: cents(),
    status: z.enum(payoutStatuses),
    createdAt: timestamp(),
    failedAt: timestamp().nullable(),
  })
  .meta({ id: "Payout" });

export const suspense = z
  .strictObject({
    id: id(),
    status: z.enum(depositStatuses).meta({ description: "`suspense` while it is kept aside, then `credited` or `refunded`." }),
    reason: z.string().meta({ description: "Why it was kept aside: `short`, `late`, `again`, `unclear` or `unmatched`." }),
    amountCents: cents().meta({ description: "What it is worth: at the rate it was kept at, or was credited at." }),
    chain: z.enum(chains),
    currency: z.enum(currencies),
    cryptoAmount: z.string().meta({ description: "Whole coins, as decimal text." }),
    txHash: z.string(),
    userId: id().nullable().meta({ description: "Whose it is, as far as that is known." }),
    paymentId: id().nullable().meta({ description: "Payment it came for, as far as that is known." }),
    note: z.string().nullable().meta({ description: "Why it was credited or sent back." }),
    resolvedBy: id().nullable(),
    resolvedAt: timestamp().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: "Suspense" });

const note = text(500, 1).meta({ description: "Why; shown in the ledger." });
const reason = z
  .strictObject({
    reason: text(5000).optional().meta({ description: "Why; the people concerned see it." }),
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
    ...own,
    summary: "List free trials and videos that wait for approval",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ approvals: z.array(approval) }),
  }),
  approvePlaytest: endpoint("POST /admin/playtests/:id/approve", {
    ...own,
    summary: "Approve a free trial",
    reply: playtestReply,
  }),
  rejectPlaytest: endpoint("POST /admin/playtests/:id/reject", {
    ...own,
    summary: "Reject a free trial",
    body: reason,
    reply: playtestReply,
  }),
  approveVideo: endpoint("POST /admin/slots/:id/approve", {
    ...own,
    summary: "Approve a public video",
    reply: slotReply,
  }),
  rejectVideo: endpoint("POST /admin/slots/:id/reject", {
    ...own,
    summary: "Reject a public video",
    body: reason,
    reply: slotReply,
  }),
  listUsers: endpoint("GET /admin/users", {
    ...own,
    summary: "List accounts",
    query: z.object({
      ...page,
      role: z.enum(roles).optional().meta({ description: "Only accounts of this role." }),
      email: text(254).optional().meta({ description: "Only the account with this e-mail address." }),
    }),
    list: true,
    reply: z.strictObject({ users: z.array(account) }),
  }),
  verifyUser: endpoint("POST /admin/users/:id/verify", {
    ...own,
    summary: "Mark an account's e-mail as verified",
    reply: accountReply,
  }),
  suspendUser: endpoint("POST /admin/users/:id/suspend", {
    ...own,
    summary: "Suspend an account",
    reply: accountReply,
  }),
  unsuspendUser: endpoint("POST /admin/users/:id/unsuspend", {
    ...own,
    summary: "End an account's suspension",
    reply: accountReply,
  }),
  suspendGame: endpoint("POST /admin/games/:id/suspend", {
    ...own,
    summary: "Hide a game's offers",
    reply: gameReply,
  }),
  unsuspendGame: endpoint("POST /admin/games/:id/unsuspend", {
    ...own,
    summary: "Show a game's offers again",
    reply: gameReply,
  }),
  grantCredit: endpoint("POST /admin/users/:id/credit", {
    ...own,
    summary: "Give an account credit",
    risk: "spend",
    body: z.strictObject({
      amountCents: z.int().min(1).max(100_000_000).meta({ description: "Credit to grant." }),
      note,
    }),
    reply: grantReply,
  }),
  grantHours: endpoint("POST /admin/users/:id/hours", {
    ...own,
    summary: "Give an account playtest minutes",
    risk: "spend",
    body: z.strictObject({
      minutes: z.int().min(1).max(10_000_000).meta({ description: "Playtest minutes to grant." }),
      note,
    }),
    reply: grantReply,
  }),
  chargebackPayment: endpoint("POST /admin/payments/:id/chargeback", {
    ...own,
    summary: "Record that a payment was charged back",
    risk: "destroy",
    reply: z.strictObject({ payment }),
  }),
  listSuspense: endpoint("GET /admin/suspense", {
    ...own,
    summary: "List crypto deposits that are kept aside",
    query: z.object({
      ...page,
      status: z.enum(depositStatuses).optional().meta({ description: "`suspense` unless given." }),
    }),
    list: true,
    reply: z.strictObject({ suspense: z.array(suspense) }),
  }),
  resolveSuspense: endpoint("POST /admin/suspense/:id/resolve", {
    ...own,
    summary: "Credit a deposit that was kept aside",
    risk: "spend",
    body: z.strictObject({
      userId: id().optional().meta({ description: "Owner to credit; whom it came from unless given." }),
      rateCents: z
        .int()
        .min(1)
        .max(100_000_000)
        .optional()
        .meta({ description: "Price of one whole coin; default: the recorded rate." }),
      note,
    }),
    reply: z.strictObject({ suspense, payment }),
  }),
  refundSuspense: endpoint("POST /admin/suspense/:id/refund", {
    ...own,
    summary: "Record that a deposit kept aside was sent back",
    risk: "destroy",
    body: z.strictObject({ note }),
    reply: z.strictObject({ suspense }),
  }),
  createCategory: endpoint("POST /admin/categories", {
    ...own,
    summary: "Add a game category",
    body: z.strictObject({
      name: text(100, 1).meta({ description: "Name of the category." }),
      slug: z
        .string()
        .max(100)
        .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lower-case words joined by hyphens")
        .meta({ description: "Short form for addresses, such as `pixel-art`." }),
    }),
    status: 201,
    reply: z.strictObject({ category }),
  }),
  listPayouts: endpoint("GET /admin/payouts", {
    ...own,
    summary: "List payouts to playtesters",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ payouts: z.array(payout) }),
  }),
  createPayout: endpoint("POST /admin/payouts", {
    ...own,
    summary: "Record a payout to a playtester",
    risk: "spend",
    body: z.strictObject({
      userId: id().meta({ description: "Playtester who was paid." }),
      amountCents: z.int().min(1).max(100_000_000).meta({ description: "Amount paid." }),
    }),
    status: 201,
    reply: z.strictObject({ payout }),
    problems: ["NOT_FOUND"],
  }),
  failPayout: endpoint("POST /admin/payouts/:id/fail", {
    ...own,
    summary: "Record that a payout failed; the money is owed again",
    risk: "spend",
    reply: z.strictObject({ payout }),
  }),
  getStats: endpoint("GET /admin/stats", {
    ...own,
    summary: "Show figures of the whole marketplace",
    reply: z.strictObject({
      owners: z.int(),
      playtesters: z.int(),
      games: z.int(),
      activePlaytests: z.int(),
      openSlots: z.int(),
      pendingReviews: z.int(),
      pendingApprovals: z.int(),
      creditCents: z.int().meta({ description: "Credit all owners hold." }),
      payableCents: z.int().meta({ description: "Earnings not paid out yet." }),
    }),
  }),
};
