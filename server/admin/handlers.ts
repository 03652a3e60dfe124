import type { gameMoves } from "../../src/contract/states/index.ts";
import type { MoveOf } from "../../src/contract/states/moves.ts";
import { resetFactors } from "../accounts/factors/reset.ts";
import { mailFactorReset } from "../accounts/security-mails.ts";
import { suspend, verifyUser } from "../accounts/service.ts";
import * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { ReadTx, Tx } from "../app/tx.ts";
import { disputePayment } from "../billing/cards/disputes.ts";
import { liftDisputes } from "../billing/cards/freezes.ts";
import { settleOwedCredit, settleOwedMinutes } from "../billing/debts.ts";
import { paymentView } from "../billing/invoices/views.ts";
import { requirePayments } from "../billing/payments.ts";
import * as reversals from "../billing/reversals-store.ts";
import * as payments from "../billing/store.ts";
import { disputeView, flaggedView } from "../billing/views.ts";
import type { Query } from "../database/port.ts";
import * as games from "../games/store.ts";
import { gameView } from "../games/views.ts";
import type { Handlers } from "../http/call.ts";
import { accounts, goodwillTransfer, minutesGrantTransfer, type Transfer } from "../ledger/rules.ts";
import * as ledger from "../ledger/store.ts";
import { conflict, notFound } from "../lib/api-error.ts";
import { signedUrl } from "../lib/signed-links.ts";
import * as reports from "../playtests/slots/reports-store.ts";
import * as slots from "../playtests/slots/store.ts";
import * as playtests from "../playtests/store.ts";
import { playtestView, slotDetailView } from "../playtests/views.ts";
import { requireMayChange } from "./admins.ts";
import { approveTrial, approveVideo, rejectTrial, rejectVideo } from "./approvals.ts";
import * as backups from "./backups-store.ts";
import * as adminStore from "./store.ts";
import { accountView, approvalView, problemView } from "./views.ts";

const playtestOf = async (q: Query, id: string) => ({ playtest: playtestView((await playtests.find(q, id))!) });
const slotOf = async (q: ReadTx, id: string) => ({ slot: slotDetailView((await slots.findDetail(q, id))!, q.now) });

/** A link to the video, so that the admin can watch it before the approval; null when the approval is not of a video. */
function videoUrlOf(deps: Deps, row: adminStore.ApprovalRow, adminId: string): string | null {
  const { blob_key: blobKey, filename, content_type: contentType } = row;
  if (blobKey === null || filename === null || contentType === null) return null;
  return signedUrl(deps, { blobKey, filename, contentType, disposition: "inline" }, adminId).url;
}

async function user(q: Query, id: string): Promise<users.UserRow> {
  const found = await users.find(q, id);
  if (!found) throw notFound();
  return found;
}

const userOf = async (q: Query, id: string) => ({ user: accountView(await user(q, id)) });

/** Suspends or reinstates a game. Safe to repeat: a game that is in the target state already stays in it. */
async function moveGame(tx: Tx, id: string, move: MoveOf<typeof gameMoves>) {
  if (!(await games.find(tx, id))) throw notFound();
  await games.transitionFromAny(tx, { id }, move, { updated_at: tx.now });
  return { game: gameView((await games.find(tx, id))!) };
}

async function grant(tx: Tx, ownerId: string, transfer: Transfer, payOwed: () => Promise<void>) {
  requirePayments(tx);
  const owner = await user(tx, ownerId);
  if (owner.role !== "game_owner") throw conflict("Only game owners can have credit and playtest hours. Nothing was granted.");
  if (owner.deleted_at !== null) throw conflict("This account was deleted. Nothing was granted.");
  await ledger.post(tx, transfer);
  await payOwed();
  return {
    user: accountView(owner),
    balanceCents: await ledger.balance(tx, accounts.credit(ownerId)),
    playtestMinutes: await ledger.balance(tx, accounts.minutes(ownerId)),
  };
}

export const admin = {
  async listApprovals(call) {
    const page = call.page();
    const rows = await call.read((q) => adminStore.listApprovals(q, page));
    const view = (item: adminStore.ApprovalRow) => approvalView(item, videoUrlOf(call.deps, item, call.principal.userId));
    return call.listed(page, rows, (items) => ({ approvals: items.map(view) }));
  },

  async listProblems(call) {
    const page = call.page();
    const rows = await call.read((q) => reports.listWaiting(q, page));
    return call.listed(page, rows, (items) => ({ problems: items.map(problemView) }));
  },

  approvePlaytest: (call) =>
    call.commit(async (tx) => {
      await approveTrial(tx, call.params.id);
      return playtestOf(tx, call.params.id);
    }),

  rejectPlaytest: (call) =>
    call.commit(async (tx) => {
      await rejectTrial(tx, call.params.id, call.body.reason);
      return playtestOf(tx, call.params.id);
    }),

  approveVideo: (call) =>
    call.commit(async (tx) => {
      await approveVideo(tx, call.params.id);
      return slotOf(tx, call.params.id);
    }),

  rejectVideo: (call) =>
    call.commit(async (tx) => {
      await rejectVideo(tx, call.params.id, call.body.reason);
      return slotOf(tx, call.params.id);
    }),

  async listUsers(call) {
    const page = call.page();
    const rows = await call.read((q) => adminStore.listUsers(q, call.query, page));
    return call.listed(page, rows, (items) => ({ users: items.map(accountView) }));
  },

  verifyUser: (call) =>
    call.commit(async (tx) => {
      const found = await user(tx, call.params.id);
      await requireMayChange(tx, call.principal, found);
      if (found.email_verified_at === null) await verifyUser(tx, found.id);
      return userOf(tx, found.id);
    }),

  suspendUser: (call) =>
    call.commit(async (tx) => {
      const found = await user(tx, call.params.id);
      if (found.id === call.principal.userId) throw conflict("You cannot suspend your own account. Nothing was changed.");
      await requireMayChange(tx, call.principal, found);
      await suspend(tx, found);
      return userOf(tx, found.id);
    }),

  unsuspendUser: (call) =>
    call.commit(async (tx) => {
      const found = await user(tx, call.params.id);
      await requireMayChange(tx, call.principal, found);
      if (found.deleted_at !== null) throw conflict("This account was deleted. Nothing was changed.");
      if (found.suspended_at !== null) await users.update(tx, found.id, { suspended_at: null, updated_at: tx.now });
      return userOf(tx, found.id);
    }),

  resetFactor: (call) =>
    call.commit(async (tx) => {
      const found = await user(tx, call.params.id);
      if (found.id === call.principal.userId)
        throw conflict("You cannot remove your own second factor this way. Nothing was changed. Disable it with a code.");
      await requireMayChange(tx, call.principal, found);
      if (!(await resetFactors(tx, found.id)))
        throw conflict("This account has no second factor and no passkey. Nothing was changed.");
      await mailFactorReset(tx, found.id, call.client);
      return userOf(tx, found.id);
    }),

  suspendGame: (call) => call.commit((tx) => moveGame(tx, call.params.id, "suspend")),
  unsuspendGame: (call) => call.commit((tx) => moveGame(tx, call.params.id, "unsuspend")),

  grantCredit: (call) =>
    call.commit((tx) => {
      const { amountCents: cents, note } = call.body;
      const [ownerId, grantId] = [call.params.id, tx.newId()];
      const payOwed = () => settleOwedCredit(tx, ownerId, cents, { id: grantId });
      return grant(tx, ownerId, goodwillTransfer({ grantId, ownerId, cents, note }), payOwed);
    }),

  grantHours: (call) =>
    call.commit((tx) => {
      const { minutes, note } = call.body;
      const [ownerId, grantId] = [call.params.id, tx.newId()];
      const payOwed = () => settleOwedMinutes(tx, ownerId, { id: grantId });
      return grant(tx, ownerId, minutesGrantTransfer({ grantId, ownerId, minutes, note }), payOwed);
    }),

  chargebackPayment: (call) =>
    call.commit(async (tx) => {
      const payment = await payments.find(tx, call.params.id);
      if (!payment) throw notFound();
      await disputePayment(tx, payment);
      return { payment: await paymentView(tx, (await payments.find(tx, payment.id))!) };
    }),

  async listDisputes(call) {
    const page = call.page();
    const rows = await call.read((q) => reversals.listDisputes(q, call.query.status ?? "open", page));
    return call.listed(page, rows, (items) => ({ disputes: items.map(disputeView) }));
  },

  liftDispute: (call) =>
    call.commit(async (tx) => {
      const payment = await payments.find(tx, call.params.id);
      if (!payment) throw notFound();
      await liftDisputes(tx, payment);
      return { payment: await paymentView(tx, (await payments.find(tx, payment.id))!) };
    }),

  async listFlaggedPayments(call) {
    const page = call.page();
    const rows = await call.read((q) => payments.listFlagged(q, page));
    return call.listed(page, rows, (items) => ({ payments: items.map(flaggedView) }));
  },

  clearPaymentFlag: (call) =>
    call.commit(async (tx) => {
      const payment = await payments.find(tx, call.params.id);
      if (!payment) throw notFound();
      if (!(await payments.clearFlag(tx, payment.id, tx.now)))
        throw conflict("This payment has no flag to clear. Nothing was changed.");
      return { payment: await paymentView(tx, payment) };
    }),

  createCategory: (call) =>
    call.commit(async (tx, trail) => {
      const { name, slug } = call.body;
      if ((await games.allCategories(tx)).some((known) => known.slug === slug))
        throw conflict(`A category with the slug ${slug} already exists. Nothing was created.`);
      const category = { id: tx.newId(), name, slug };
      await games.insertCategory(tx, category);
      trail.created(category.id);
      return { category };
    }),

  getStats: (call) =>
    call.read(async (q) => ({ ...(await adminStore.stats(q)), ...backups.summaryOf(await backups.find(q), q.now) })),
} satisfies Partial<Handlers>;
