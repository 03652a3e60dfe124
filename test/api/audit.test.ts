import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { checkAudit } from "../../server/audit/checks.ts";
import type { Query } from "../../server/database/port.ts";
import { MailRefused } from "../../server/mail/mailer.ts";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract, type Operation } from "../../src/contract/index.ts";
import { flagPayment } from "../helpers/billing.ts";
import { openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { setUpFactor } from "../helpers/factors.ts";
import { mailedToken } from "../helpers/mails.ts";
import { addPasskey } from "../helpers/passkeys.ts";
import { signedIn } from "../helpers/portal.ts";
import { failedJob, rightfulRequests, rightfulWorld } from "../helpers/rightful-requests.ts";
import type { TestServer } from "../helpers/server.ts";
import { startTrackers } from "../helpers/trackers.ts";
import { withCutter } from "../helpers/walk.ts";
import { startYoutube } from "../helpers/youtube.ts";
import { rightfulCall } from "../soak/calls.ts";

type Entry = Record<string, unknown> & { action: string; targetId: string; details: Record<string, unknown> };

const password = "correct horse";

class World {
  readonly server: TestServer;
  readonly admin: factories.Person;
  readonly owner: factories.Person;
  readonly tester: factories.Person;
  constructor(server: TestServer, admin: factories.Person, owner: factories.Person, tester: factories.Person) {
    [this.server, this.admin, this.owner, this.tester] = [server, admin, owner, tester];
  }

  post(path: string, body: unknown = {}) {
    return this.server.request("POST", path, { body });
  }
  async trial(): Promise<string> {
    return factories.order(this.owner, await factories.createGame(this.owner), { isFreePublicTrial: true });
  }
  async video(): Promise<string> {
    const trial = await this.trial();
    await this.admin.approvePlaytest({ params: { id: trial } });
    return factories.play(this.server, this.tester, trial);
  }
  async deposit(): Promise<string> {
    const wallet = await openWallet(this.server, this.owner);
    await wallet.prove(await wallet.send(await wallet.ask(), { by: -1_000_000 }));
    return (await this.admin.listSuspense()).suspense[0]!.id;
  }
  /** Published on the server's own page, or on a platform to which it is not connected: that is given up after three days. */
  async publication(to: "own" | "youtube"): Promise<string> {
    this.server.deps.config.publishing.to = to;
    const slotId = await factories.play(
      this.server,
      this.tester,
      await factories.order(this.owner, await factories.createGame(this.owner), { visibility: "public" }),
    );
    await this.owner.post(`/slots/${slotId}/accept`);
    await this.server.advance(3 * 86_400_000);
    return (await this.admin.get("/admin/publications")).body.data.publications[0].id;
  }
  /** A Google that answers, and the server's client there. */
  async google(): Promise<void> {
    const { url } = await startYoutube();
    Object.assign(this.server.deps.config.publishing.youtube, { clientId: "client", clientSecret: "secret", apiUrl: url });
  }
  async submitted(): Promise<string> {
    await factories.giveCredit(this.server, this.owner, 50_000);
    return factories.play(this.server, this.tester, await factories.order(this.owner, await factories.createGame(this.owner)));
  }
  async earn(): Promise<void> {
    const slotId = await this.submitted();
    await this.owner.post(`/slots/${slotId}/accept`, { rating: 5 });
  }
  async payment(): Promise<string> {
    await factories.giveCredit(this.server, this.owner, 5_000);
    return (await this.owner.listPayments()).payments[0]!.id;
  }
}

/** What audited operations do here whose entries say more than who did it, and what the log has to say about them. */
const scenes: Partial<Record<Operation, (world: World) => Promise<{ of: factories.Person | null; entry: object }>>> = {
  async approvePlaytest(world) {
    const id = await world.trial();
    await world.admin.approvePlaytest({ params: { id } });
    const after = { approvedAt: "2026-03-01T12:00:00.000Z" };
    return { of: world.admin, entry: { action: "playtest.approve", targetId: id, before: { approvedAt: null }, after } };
  },
  async rejectPlaytest(world) {
    const id = await world.trial();
    await world.admin.rejectPlaytest({ params: { id }, body: { reason: "Too long." } });
    const entry = { action: "playtest.reject", targetId: id, before: { status: "active" }, details: { reason: "Too long." } };
    return { of: world.admin, entry };
  },
  async approveVideo(world) {
    const id = await world.video();
    await world.admin.approveVideo({ params: { id } });
    return { of: world.admin, entry: { action: "slot.approve", targetId: id, before: { adminApprovedAt: null } } };
  },
  async rejectVideo(world) {
    const id = await world.video();
    await world.admin.rejectVideo({ params: { id }, body: { reason: "No sound." } });
    return { of: world.admin, entry: { action: "slot.reject", targetId: id, details: { reason: "No sound." } } };
  },
  async connectTracker(world) {
    const { url } = await startTrackers();
    await world.owner.post("/trackers/connect", { tracker: "github", token: "ghp_test", site: url });
    const details = { tracker: "github", site: url };
    const entry = { action: "tracker.connect", details, before: null, after: { tracker: "github", site: url } };
    return { of: world.owner, entry };
  },
  async fileFinding(world) {
    const { url } = await startTrackers();
    await world.owner.post("/trackers/connect", { tracker: "github", token: "ghp_test", site: url });
    const gameId = await factories.createGame(world.owner);
    const { id } = (await world.owner.post(`/games/${gameId}/findings`, { title: "Dark" })).body.data.finding;
    await world.owner.post(`/findings/${id}/issue`, { tracker: "github", target: "acme/lantern" });
    const details = { tracker: "github", target: "acme/lantern", share: false };
    return { of: world.owner, entry: { action: "finding.file", targetId: id, details } };
  },
  async disconnectTracker(world) {
    const { url } = await startTrackers();
    await world.owner.post("/trackers/connect", { tracker: "github", token: "ghp_test", site: url });
    await world.owner.post("/trackers/disconnect", { tracker: "github" });
    const entry = { action: "tracker.disconnect", details: { tracker: "github" }, before: { tracker: "github" }, after: null };
    return { of: world.owner, entry };
  },
  async connectPublisher(world) {
    await world.google();
    await world.admin.post("/admin/publishers/connect", { adapter: "youtube", deviceCode: "device-1" });
    const entry = { action: "publisher.connect", details: { adapter: "youtube" }, before: null, after: { adapter: "youtube" } };
    return { of: world.admin, entry };
  },
  async disconnectPublisher(world) {
    await world.google();
    await world.admin.post("/admin/publishers/connect", { adapter: "youtube", deviceCode: "device-1" });
    await world.admin.post("/admin/publishers/disconnect", { adapter: "youtube" });
    const entry = {
      action: "publisher.disconnect",
      details: { adapter: "youtube" },
      before: { adapter: "youtube" },
      after: null,
    };
    return { of: world.admin, entry };
  },
  async retryPublication(world) {
    const id = await world.publication("youtube");
    await world.admin.post(`/admin/publications/${id}/retry`);
    const before = { state: "failed" };
    return { of: world.admin, entry: { action: "publication.retry", targetId: id, before, after: { state: "waiting" } } };
  },
  async movePublication(world) {
    const id = await world.publication("youtube");
    await world.admin.post(`/admin/publications/${id}/move`, { to: "own" });
    const entry = { action: "publication.move", targetId: id, details: { to: "own" }, after: { state: "removed" } };
    return { of: world.admin, entry };
  },
  async removePublication(world) {
    const id = await world.publication("own");
    await world.admin.post(`/admin/publications/${id}/remove`, { reason: "Shows a face." });
    const details = { reason: "Shows a face." };
    return { of: world.admin, entry: { action: "publication.remove", targetId: id, details, after: { state: "removed" } } };
  },
  async unblockSlot(world) {
    await factories.giveCredit(world.server, world.owner, 50_000);
    const playtestId = await factories.order(world.owner, await factories.createGame(world.owner));
    const slotId = await factories.claim(world.tester, playtestId);
    await world.tester.reportSlot({ params: { id: slotId }, body: { reasonCode: "crash" } });
    await world.admin.post(`/slots/${slotId}/unblock`);
    const [before, after] = [{ status: "blocked" }, { status: "reserved" }];
    return { of: world.admin, entry: { action: "slot.unblock", targetId: slotId, before, after } };
  },
  async createSlotShare(world) {
    const id = await world.submitted();
    await world.owner.createSlotShare({ params: { id }, body: { withNotes: true, password: "lamp in the dark" } });
    const details = { withName: false, withNotes: true, validForSeconds: 1_209_600 };
    return { of: world.owner, entry: { action: "slot.share", targetId: id, details } };
  },
  async createPlaytestShare(world) {
    const slotId = await world.submitted();
    const id = (await world.owner.get(`/slots/${slotId}`)).body.data.slot.requestId;
    await world.owner.createPlaytestShare({ params: { id }, body: { withName: true } });
    return { of: world.owner, entry: { action: "playtest.share", targetId: id, details: { withName: true } } };
  },
  async createClipShare(world) {
    const slotId = await world.submitted();
    const { id } = (await world.owner.createClip({ params: { id: slotId }, body: { atMs: 0, endMs: 1000 } })).clip;
    await world.server.advance(0);
    await world.owner.createClipShare({ params: { id }, body: {} });
    return { of: world.owner, entry: { action: "clip.share", targetId: id, details: { withName: false, withNotes: false } } };
  },
  async deleteShare(world) {
    const { share } = await world.owner.createSlotShare({ params: { id: await world.submitted() }, body: {} });
    await world.owner.deleteShare({ params: { id: share.id } });
    const entry = { action: "share.revoke", targetId: share.id, before: { hasPassword: false, withName: false }, after: null };
    return { of: world.owner, entry };
  },
  async suspendUser(world) {
    await world.admin.suspendUser({ params: { id: world.owner.id } });
    const [before, after] = [{ suspendedAt: null }, { suspendedAt: "2026-03-01T12:00:00.000Z" }];
    return { of: world.admin, entry: { action: "user.suspend", targetId: world.owner.id, before, after } };
  },
  async unsuspendUser(world) {
    await world.admin.suspendUser({ params: { id: world.owner.id } });
    await world.admin.unsuspendUser({ params: { id: world.owner.id } });
    return { of: world.admin, entry: { action: "user.unsuspend", after: { suspendedAt: null } } };
  },
  async suspendGame(world) {
    const id = await factories.createGame(world.owner);
    await world.admin.suspendGame({ params: { id } });
    const [before, after] = [{ status: "active" }, { status: "suspended" }];
    return { of: world.admin, entry: { action: "game.suspend", targetId: id, before, after } };
  },
  async unsuspendGame(world) {
    const id = await factories.createGame(world.owner);
    await world.admin.suspendGame({ params: { id } });
    await world.admin.unsuspendGame({ params: { id } });
    return { of: world.admin, entry: { action: "game.unsuspend", targetId: id, after: { status: "active" } } };
  },
  async grantCredit(world) {
    await world.admin.grantCredit({ params: { id: world.owner.id }, body: { amountCents: 2000, note: "sorry" } });
    const details = { amountCents: 2000, note: "sorry" };
    const [before, after] = [{ creditCents: 0 }, { creditCents: 2000 }];
    return { of: world.admin, entry: { action: "balance.grant_credit", targetId: world.owner.id, details, before, after } };
  },
  async grantHours(world) {
    await world.admin.grantHours({ params: { id: world.owner.id }, body: { minutes: 90, note: "sorry" } });
    const [before, after] = [{ playtestMinutes: 0 }, { playtestMinutes: 90 }];
    return {
      of: world.admin,
      entry: { action: "balance.grant_minutes", details: { minutes: 90, note: "sorry" }, before, after },
    };
  },
  async chargebackPayment(world) {
    const id = await world.payment();
    await world.admin.chargebackPayment({ params: { id } });
    const [before, after] = [
      { status: "completed", openDisputes: 0 },
      { status: "disputed", openDisputes: 1 },
    ];
    return { of: world.admin, entry: { action: "payment.chargeback", targetId: id, before, after } };
  },
  async liftDispute(world) {
    const id = await world.payment();
    await world.admin.chargebackPayment({ params: { id } });
    await world.admin.liftDispute({ params: { id }, body: { note: "settled" } });
    const [before, after] = [{ openDisputes: 1 }, { openDisputes: 0 }];
    const details = { note: "settled" };
    return { of: world.admin, entry: { action: "payment.lift_dispute", targetId: id, details, before, after } };
  },
  async clearPaymentFlag(world) {
    const id = await world.payment();
    await flagPayment(world.server, id);
    await world.admin.clearPaymentFlag({ params: { id }, body: { note: "refunded by hand" } });
    const details = { note: "refunded by hand" };
    const entry = {
      action: "payment.clear_flag",
      targetId: id,
      details,
      before: { flagClearedAt: null },
      after: { flagClearedAt: expect.any(String) },
    };
    return { of: world.admin, entry };
  },
  async resolveSuspense(world) {
    const id = await world.deposit();
    await world.admin.resolveSuspense({ params: { id }, body: { userId: world.owner.id, note: "late" } });
    const entry = {
      action: "deposit.credit",
      targetId: id,
      details: { userId: world.owner.id, note: "late" },
      before: { status: "suspense" },
    };
    return { of: world.admin, entry };
  },
  async refundSuspense(world) {
    const id = await world.deposit();
    await world.admin.refundSuspense({ params: { id }, body: { note: "sent back" } });
    return { of: world.admin, entry: { action: "deposit.refund", targetId: id, after: { status: "refunded" } } };
  },
  async createCategory(world) {
    const { category } = await world.admin.createCategory({ body: { name: "Auto Battler", slug: "auto-battler" } });
    const after = { name: "Auto Battler", slug: "auto-battler" };
    return { of: world.admin, entry: { action: "category.create", targetId: category.id, before: null, after } };
  },
  async createGroup(world) {
    const { group } = await world.admin.createGroup({ body: { name: "qa" } });
    const after = { name: "qa", members: 0 };
    return { of: world.admin, entry: { action: "group.create", targetId: group.id, before: null, after } };
  },
  async deleteGroup(world) {
    const { group } = await world.admin.createGroup({ body: { name: "gone" } });
    await world.admin.deleteGroup({ params: { id: group.id } });
    const before = { name: "gone", members: 0 };
    return { of: world.admin, entry: { action: "group.delete", targetId: group.id, before, after: null } };
  },
  async addGroupMembers(world) {
    const { group } = await world.admin.createGroup({ body: { name: "joined" } });
    const { email } = await world.tester.getMe();
    await world.admin.addGroupMembers({ params: { id: group.id }, body: { emails: [email] } });
    const [before, after] = [{ members: 0 }, { members: 1 }];
    return { of: world.admin, entry: { action: "group.add_members", targetId: group.id, before, after } };
  },
  async removeGroupMembers(world) {
    const { group } = await world.admin.createGroup({ body: { name: "left" } });
    const { email } = await world.tester.getMe();
    await world.admin.addGroupMembers({ params: { id: group.id }, body: { emails: [email] } });
    await world.admin.removeGroupMembers({ params: { id: group.id }, body: { emails: [email] } });
    const [before, after] = [{ members: 1 }, { members: 0 }];
    return { of: world.admin, entry: { action: "group.remove_members", targetId: group.id, before, after } };
  },
  async putServerAgreement(world) {
    await world.admin.putServerAgreement({ body: { text: "Tell nobody." } });
    return { of: world.admin, entry: { action: "agreement.publish", before: null, after: { number: 1 } } };
  },
  async deleteServerAgreement(world) {
    await world.admin.putServerAgreement({ body: { text: "Tell nobody." } });
    await world.admin.deleteServerAgreement();
    return { of: world.admin, entry: { action: "agreement.end", before: null, after: { number: 2 } } };
  },
  async createPayout(world) {
    await world.earn();
    const { payout } = await world.admin.createPayout({ body: { userId: world.tester.id, amountCents: 500 } });
    const after = { userId: world.tester.id, amountCents: 500, status: "completed" };
    return { of: world.admin, entry: { action: "payout.create", targetId: payout.id, before: null, after } };
  },
  async failPayout(world) {
    await world.earn();
    const { payout } = await world.admin.createPayout({ body: { userId: world.tester.id, amountCents: 500 } });
    await world.admin.failPayout({ params: { id: payout.id } });
    return { of: world.admin, entry: { action: "payout.fail", targetId: payout.id, after: { status: "failed" } } };
  },
  async completePayout(world) {
    const { payoutId } = await payoutBatch(world);
    await world.admin.completePayout({ params: { id: payoutId } });
    return { of: world.admin, entry: { action: "payout.complete", targetId: payoutId, after: { status: "completed" } } };
  },
  async createPayoutBatch(world) {
    const { batchId } = await payoutBatch(world);
    const details = { method: "paypal", minCents: 100 };
    const after = { ...details, pending: 1, completed: 0, failed: 0 };
    return { of: world.admin, entry: { action: "payout_batch.create", targetId: batchId, details, before: null, after } };
  },
  async readPayoutInstructions(world) {
    const { batchId } = await payoutBatch(world);
    await world.admin.readPayoutInstructions({ params: { id: batchId }, body: { method: "paypal" } });
    const details = { method: "paypal" };
    return { of: world.admin, entry: { action: "payout_batch.read_instructions", targetId: batchId, details } };
  },
  async settlePayoutBatch(world) {
    const { batchId, payoutId } = await payoutBatch(world);
    const rows = [{ reference: payoutId, status: "failed" }];
    await world.admin.post(`/admin/payout-batches/${batchId}/settle`, { rows });
    const [before, after] = [
      { pending: 1, failed: 0 },
      { pending: 0, failed: 1 },
    ];
    return { of: world.admin, entry: { action: "payout_batch.settle", targetId: batchId, before, after } };
  },
  async createAdmin(world) {
    const { admin } = await world.admin.createAdmin({ body: { name: "Ada", scopes: ["money"] } });
    const after = expect.objectContaining({ role: "admin", adminScopes: ["money"] });
    const entry = { action: "user.create_admin", targetId: admin.id, details: { scopes: ["money"] }, before: null, after };
    return { of: world.admin, entry };
  },
  async revokeAdmin(world) {
    const { admin } = await world.admin.createAdmin({ body: { name: "Ada", scopes: ["money"] } });
    await world.admin.revokeAdmin({ params: { id: admin.id } });
    const [before, after] = [{ keysNotRevoked: 1, suspendedAt: null }, { keysNotRevoked: 0 }];
    return { of: world.admin, entry: { action: "user.revoke_admin", targetId: admin.id, before, after } };
  },
  async invite(world) {
    const reply = await world.admin.post("/admin/invitations", { invitations: [{ email: "pim@example.com" }] });
    const { id } = reply.body.data.results[0].invitation;
    const emailSha256 = createHash("sha256").update("pim@example.com").digest("hex");
    const after = expect.objectContaining({ role: "playtester", emailSha256, joinedAt: null });
    return { of: world.admin, entry: { action: "invitation.create", targetId: id, details: {}, before: null, after } };
  },
  async revokeInvitation(world) {
    const reply = await world.admin.post("/admin/invitations", { invitations: [{ email: "pim@example.com" }] });
    const { id } = reply.body.data.results[0].invitation;
    await world.admin.revokeInvitation({ params: { id } });
    const after = { revokedAt: expect.any(String) };
    return { of: world.admin, entry: { action: "invitation.revoke", targetId: id, before: { revokedAt: null }, after } };
  },
  async retryMail(world) {
    world.server.refusals.set("pim@example.com", new MailRefused("550 5.1.1 No such mailbox"));
    await world.admin.invite({ body: { invitations: [{ email: "pim@example.com" }] } });
    await world.server.advance(0);
    const [{ id }] = (await world.admin.get("/admin/mails?state=failed")).body.data.mails;
    await world.admin.retryMail({ params: { id } });
    const [before, after] = [{ tries: 1 }, { tries: 0, failedAt: null }];
    return { of: world.admin, entry: { action: "mail.retry", targetId: id, before, after } };
  },
  async retryJob(world) {
    const id = await failedJob(world.server);
    await world.admin.retryJob({ params: { id } });
    const [before, after] = [{ state: "dead" }, { state: "queued" }];
    return { of: world.admin, entry: { action: "job.retry", targetId: id, before, after } };
  },
  async exportAccountInFull(world) {
    await world.owner.exportAccountInFull({ body: { password } });
    return { of: world.owner, entry: { action: "user.export", targetId: world.owner.id } };
  },
  async registerApiKey(world) {
    const account = { email: "ada@example.com", password, role: "game_owner" };
    const { user } = (await world.post("/auth/register/api-key", account)).body.data;
    const emailSha256 = createHash("sha256").update("ada@example.com").digest("hex");
    const after = expect.objectContaining({ role: "game_owner", emailSha256, hasPassword: true });
    return { of: null, entry: { action: "user.register", targetId: user.id, before: null, after } };
  },
  async register(world) {
    const { userId } = (await world.post("/auth/register", { email: "bo@example.com", password, role: "playtester" })).body.data;
    return { of: null, entry: { action: "user.register", targetId: userId } };
  },
  async changePassword(world) {
    await world.owner.changePassword({ body: { currentPassword: password, newPassword: "battery staple" } });
    const entry = { action: "user.change_password", targetId: world.owner.id, details: {}, before: {}, after: {} };
    return { of: world.owner, entry };
  },
  async createApiKey(world) {
    const { key } = await world.owner.createApiKey({ body: { name: "CI", scopes: ["billing"] } });
    const after = expect.objectContaining({ userId: world.owner.id, scopes: ["billing"], prefix: key.prefix });
    return { of: world.owner, entry: { action: "key.create", targetId: key.id, before: null, after } };
  },
  async setBudget(world) {
    const { budget } = (await world.owner.post("/billing/budgets", { period: "day", limitCents: 5000 })).body.data;
    await world.owner.post("/billing/budgets", { period: "day", limitCents: 4000 });
    const [before, after] = [{ limitCents: 5000 }, { limitCents: 4000 }];
    return { of: world.owner, entry: { action: "budget.set", targetId: budget.id, before, after } };
  },
  async removeBudget(world) {
    const { budget } = (await world.owner.post("/billing/budgets", { period: "day", limitCents: 5000 })).body.data;
    await world.owner.delete(`/billing/budgets/${budget.id}`);
    const after = { removedAt: "2026-03-01T12:00:00.000Z" };
    return { of: world.owner, entry: { action: "budget.remove", targetId: budget.id, before: { removedAt: null }, after } };
  },
  async revokeApiKey(world) {
    const { key } = await world.owner.createApiKey({ body: { name: "CI" } });
    await world.owner.revokeApiKey({ params: { id: key.id } });
    return { of: world.owner, entry: { action: "key.revoke", targetId: key.id, before: { revokedAt: null } } };
  },
  async rotateApiKey(world) {
    const { key } = await world.owner.createApiKey({ body: { name: "CI" } });
    await world.owner.rotateApiKey({ params: { id: key.id }, body: { graceSeconds: 60 } });
    const after = { expiresAt: "2026-03-01T12:01:00.000Z" };
    const entry = { action: "key.rotate", targetId: key.id, details: { graceSeconds: 60 }, before: { expiresAt: null }, after };
    return { of: world.owner, entry };
  },
  async confirmPasswordReset(world) {
    const { user } = (await world.post("/auth/register/api-key", { email: "ada@example.com", password, role: "game_owner" })).body
      .data;
    await world.post("/auth/password-reset", { email: "ada@example.com" });
    await world.server.advance(0);
    const token = mailedToken(world.server, "reset");
    await world.post("/auth/password-reset/confirm", { token, newPassword: "battery staple", revokeApiKeys: true });
    const [before, after] = [{ keysNotRevoked: 1 }, { keysNotRevoked: 0 }];
    const details = { revokeApiKeys: true };
    return { of: null, entry: { action: "user.reset_password", targetId: user.id, actorId: user.id, details, before, after } };
  },
  async setPayoutDetails(world) {
    const body = { method: "paypal", email: "pay@example.com", password };
    await world.tester.post("/playtester/payout-details", body);
    const [before, after] = [{ payoutDetailsChangedAt: null }, { payoutDetailsChangedAt: expect.any(String) }];
    const details = { method: "paypal" };
    return { of: world.tester, entry: { action: "user.set_payout_details", targetId: world.tester.id, details, before, after } };
  },
  async removePayoutDetails(world) {
    const body = { method: "paypal", email: "pay@example.com", password };
    await world.tester.post("/playtester/payout-details", body);
    await world.tester.removePayoutDetails({ body: { password } });
    const after = { payoutDetailsChangedAt: null };
    return { of: world.tester, entry: { action: "user.remove_payout_details", targetId: world.tester.id, after } };
  },
  async endSession(world) {
    await signedIn(world.server, world.tester);
    const { sessions } = await world.tester.listSessions();
    await world.tester.endSession({ params: { id: sessions[0]!.id } });
    const before = expect.objectContaining({ userId: world.tester.id });
    return { of: world.tester, entry: { action: "session.end", targetId: sessions[0]!.id, before, after: null } };
  },
  async deleteAccount(world) {
    await world.tester.deleteAccount({ body: { password: "correct horse" } });
    return { of: world.tester, entry: { action: "user.delete", targetId: world.tester.id } };
  },
  async deleteUser(world) {
    await world.admin.deleteUser({ params: { id: world.tester.id } });
    return { of: world.admin, entry: { action: "user.delete", targetId: world.tester.id } };
  },
  async signOutEverywhere(world) {
    await signedIn(world.server, world.tester);
    await signedIn(world.server, world.tester);
    await world.tester.signOutEverywhere();
    const [before, after] = [{ sessions: 2 }, { sessions: 0 }];
    return { of: world.tester, entry: { action: "user.sign_out_everywhere", before, after } };
  },
  async addPasskey(world) {
    const { id } = await addPasskey(world.server, world.tester);
    const after = { userId: world.tester.id, blockedAt: null };
    return { of: world.tester, entry: { action: "passkey.add", targetId: id, before: null, after } };
  },
  async removePasskey(world) {
    const { id } = await addPasskey(world.server, world.tester);
    await world.tester.removePasskey({ params: { id }, body: { password } });
    const before = { userId: world.tester.id, blockedAt: null };
    return { of: world.tester, entry: { action: "passkey.remove", targetId: id, before, after: null } };
  },
  async enableFactor(world) {
    await setUpFactor(world.server, world.tester, password);
    const [before, after] = [{ secondFactorEnabledAt: null, recoveryCodes: 0 }, { recoveryCodes: 10 }];
    return { of: world.tester, entry: { action: "user.enable_factor", targetId: world.tester.id, before, after } };
  },
  async disableFactor(world) {
    const app = await setUpFactor(world.server, world.tester, password);
    await world.tester.disableFactor({ body: { code: await app.nextCode() } });
    const [before, after] = [{ recoveryCodes: 10 }, { secondFactorEnabledAt: null, recoveryCodes: 0 }];
    return { of: world.tester, entry: { action: "user.disable_factor", targetId: world.tester.id, before, after } };
  },
  async renewRecoveryCodes(world) {
    const app = await setUpFactor(world.server, world.tester, password);
    await world.tester.post("/auth/factor/recovery-codes", { code: app.recoveryCodes[0] });
    const [before, after] = [{ recoveryCodes: 9 }, { recoveryCodes: 10 }];
    return { of: world.tester, entry: { action: "user.renew_recovery_codes", targetId: world.tester.id, before, after } };
  },
  async confirmKey(world) {
    const app = await setUpFactor(world.server, world.admin);
    await world.admin.post("/auth/confirm", { code: app.recoveryCodes[0] });
    return { of: world.admin, entry: { action: "user.confirm", targetId: world.admin.id, before: { confirmedAt: null } } };
  },
  async resetFactor(world) {
    await setUpFactor(world.server, world.tester, password);
    await world.admin.resetFactor({ params: { id: world.tester.id } });
    const after = { secondFactorEnabledAt: null, recoveryCodes: 0 };
    return { of: world.admin, entry: { action: "user.reset_factor", targetId: world.tester.id, after } };
  },
};

const auditedOperations = (Object.entries(contract) as [Operation, Endpoint][]).flatMap(([name, e]) => (e.audit ? [name] : []));

/** Their rightful requests are all that the log has to tell. */
const plain = auditedOperations.filter((operation) => scenes[operation] === undefined);

onBothDatabases("audit log", (serve) => {
  async function open(): Promise<World> {
    const server = await serve({ config: withCutter });
    const admin = await factories.firstAdmin(server);
    return new World(
      server,
      admin,
      await factories.registerOwner(server, "Olga"),
      await factories.registerPlaytester(server, "Pia"),
    );
  }
  const log = async ({ admin }: World, filter = ""): Promise<Entry[]> =>
    (await admin.get(`/admin/audit?limit=100${filter}`)).body.data.entries;
  const check = ({ server }: World) => server.deps.store.read(checkAudit);

  it.each(Object.keys(scenes) as Operation[])("%s: is recorded with who, where, what, before and after", async (operation) => {
    const world = await open();
    const { of, entry } = await scenes[operation]!(world);
    const action = (contract[operation] as Endpoint).audit!.action;
    const [found] = await log(world, `&action=${action}`);
    expect(found).toMatchObject(entry);
    expect(found).toMatchObject({ action, address: "127.0.0.1", requestId: expect.stringMatching(/^req_/), sessionId: null });
    if (of) expect(found).toMatchObject({ actorId: of.id, keyId: expect.any(String) });
    else expect(found).toMatchObject({ keyId: null });
    expect(await check(world)).toMatchObject({ ok: true });
  });

  it("every other audited operation: is recorded with who and where", async () => {
    const server = await serve({ config: withCutter });
    const world = await rightfulWorld(server);
    for (const operation of plain) {
      const request = await rightfulRequests[operation](world);
      const { method, path, key, body, headers } = rightfulCall(operation, request);
      expect(await server.request(method, path, { key, body, headers })).toMatchObject({ status: 200 });
      const { action } = (contract[operation] as Endpoint).audit!;
      const { entries } = (await world.admin.get(`/admin/audit?action=${action}`)).body.data;
      const who = {
        actorId: request.as.id,
        keyId: expect.any(String),
        address: "127.0.0.1",
        requestId: expect.stringMatching(/^req_/),
      };
      expect(entries, operation).toEqual([expect.objectContaining({ action, ...who })]);
    }
  });

  it("no entry has a password, a key, a hash of one, a name or an email address", async () => {
    const world = await open();
    for (const operation of ["registerApiKey", "changePassword", "createApiKey", "confirmPasswordReset"] as const)
      await scenes[operation]!(world).catch(() => {});
    const rows = await world.server.deps.store.read((q) => q.all("SELECT * FROM audit_entries"));
    const text = JSON.stringify(rows);
    expect(rows.length).toBeGreaterThan(8);
    for (const secret of [password, "battery staple", "example.com", "Olga", world.owner.key, "scrypt", "$"])
      expect(text).not.toContain(secret);
  });

  it("an action that is refused, and a repeated request with the same key, leave no entry", async () => {
    const world = await open();
    const body = { amountCents: 500, note: "x" };
    expect((await world.admin.post(`/admin/users/${world.tester.id}/credit`, body)).status).toBe(409);
    for (let time = 0; time < 2; time++)
      await world.admin.grantCredit({ params: { id: world.owner.id }, body, headers: { "Idempotency-Key": "once" } });
    expect(await log(world, "&action=balance.grant_credit")).toHaveLength(1);
  });

  it("lists by actor, action and target, in pages, to admins only", async () => {
    const world = await open();
    for (let time = 0; time < 5; time++) await world.owner.createApiKey({ body: { name: `CI ${time}` } });
    await world.admin.suspendUser({ params: { id: world.tester.id } });
    expect((await log(world, `&target=${world.tester.id}`)).map(({ action }) => action)).toEqual([
      "user.suspend",
      "user.register",
    ]);
    expect((await log(world, `&actor=${world.admin.id}`)).map(({ action }) => action)).toEqual(["user.suspend"]);
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path = `/admin/audit?action=key.create&actor=${world.owner.id}&limit=2${cursor && `&cursor=${cursor}`}`;
      const reply = await world.admin.get(path);
      seen.push(...reply.body.data.entries.map(({ targetId }: Entry) => targetId));
      cursor = reply.body.meta.cursor;
    }
    expect(new Set(seen).size).toBe(6);
    expect((await world.owner.get("/admin/audit")).status).toBe(403);
  });

  it("each entry has its place and a hash that anybody can compute from the reply", async () => {
    const world = await open();
    await world.admin.grantCredit({ params: { id: world.owner.id }, body: { amountCents: 500, note: "für dich 🎮" } });
    const entries = (await log(world)).sort((a, b) => (a.seq as number) - (b.seq as number));
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    let previous = "0".repeat(64);
    for (const { seq, previousHash, hash, actorName: _, targetName: __, ...fields } of entries) {
      expect(previousHash).toBe(previous);
      previous = createHash("sha256")
        .update(JSON.stringify([previousHash, seq, ...Object.values(fields)]))
        .digest("hex");
      expect(hash).toBe(previous);
    }
    expect(await check(world)).toEqual({ name: "audit_chain", ok: true, detail: `7 entries; the last has the hash ${previous}` });
  });

  it("each entry names who acted and on whom, as they are called now", async () => {
    const world = await open();
    await world.admin.grantCredit({ params: { id: world.owner.id }, body: { amountCents: 500, note: "sorry" } });
    const entry = (await log(world)).find(({ action }) => action === "balance.grant_credit");
    expect(entry).toMatchObject({ actorName: "Admin", targetName: "Olga" });
    const invitations = [{ email: "pim@example.com" }, { email: "ada@example.com", name: "Ada" }];
    await world.admin.invite({ body: { invitations } });
    await world.owner.createApiKey({ body: { name: "CI" } });
    const names = async (wanted: string) =>
      (await log(world)).filter(({ action }) => action === wanted).map(({ targetName }) => targetName);
    expect((await names("invitation.create")).sort()).toEqual(["Ada", "pim@example.com"]);
    expect(await names("key.create")).toContain("Olga");
    await world.earn();
    await world.admin.createPayout({ body: { userId: world.tester.id, amountCents: 500 } });
    expect(await names("payout.create")).toEqual([(await world.tester.getMe()).profile!.displayName]);
    await payoutBatch(world);
    expect(await names("payout_batch.create")).toEqual(["1 payout (paypal)"]);
  });

  it("entries of many transactions at once: all are chained, once, and none waits for another", async () => {
    const world = await open();
    const people = await Promise.all(Array.from({ length: 12 }, () => factories.registerOwner(world.server)));
    await Promise.all(people.map((person) => person.post("/auth/api-keys", { name: "CI" })));
    await Promise.all([world.server.deps.audit.chain(), world.server.deps.audit.chain()]);
    expect(await check(world)).toMatchObject({ ok: true, detail: expect.stringMatching(/^42 entries/) });
    expect(await world.server.deps.store.read((q) => q.all("SELECT * FROM audit_pending"))).toEqual([]);
  });

  const tampered: [string, (tx: Query) => Promise<unknown>, RegExp][] = [
    [
      "a changed entry",
      (tx) => tx.run("UPDATE audit_entries SET address = '10.0.0.1' WHERE action = 'user.create'"),
      /does not match its hash/,
    ],
    ["a removed entry", (tx) => tx.run("DELETE FROM audit_entries WHERE action = 'user.create'"), /entry \d+ \(.*\) is missing/],
    ["a removed link", (tx) => tx.run("DELETE FROM audit_links WHERE seq = 2"), /entry 2 is missing/],
    ["a removed entry with its link", removeThird, /entry 3 is missing/],
    ["a link at the end removed", (tx) => tx.run("DELETE FROM audit_links WHERE seq = 6"), /1 entry is not in the chain/],
    [
      "a waiting entry that does not exist",
      (tx) => tx.run("INSERT INTO audit_pending VALUES ('x')"),
      /1 entry is not in the chain/,
    ],
  ];
  async function removeThird(tx: Query) {
    await tx.run("DELETE FROM audit_entries WHERE id IN (SELECT entry_id FROM audit_links WHERE seq = 3)");
    await tx.run("DELETE FROM audit_links WHERE seq = 3");
  }
  it.each(tampered)("doctor's check finds %s", async (_, tamper, says) => {
    const world = await open();
    await log(world);
    const { store } = world.server.deps;
    const undo = new Error("undo");
    const undone = store.write(async (tx) => {
      if (store.dialect.variant === "sqlite")
        for (const table of ["audit_entries", "audit_links"])
          for (const guard of ["unchanged", "kept"]) await tx.run(`DROP TRIGGER ${table}_${guard}`);
      await tamper(tx);
      expect(await checkAudit(tx)).toMatchObject({ ok: false, detail: expect.stringMatching(says) });
      throw undo;
    });
    await expect(undone).rejects.toBe(undo);
  });
});

async function payoutBatch(world: World): Promise<{ batchId: string; payoutId: string }> {
  await world.earn();
  await world.tester.setPayoutDetails({ body: { method: "paypal", email: "pay@example.com", password } });
  const { batch } = await world.admin.createPayoutBatch({ body: { method: "paypal", minCents: 100 } });
  const { payouts } = await world.admin.listPayouts({ query: { batch: batch.id } });
  return { batchId: batch.id, payoutId: payouts[0]!.id };
}
