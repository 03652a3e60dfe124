import { expect } from "vitest";
import { ensureAdmin } from "../../server/accounts/service.ts";
import * as users from "../../server/accounts/users-store.ts";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import type { TestServer } from "../helpers/server.ts";

const day = 24 * 3_600_000;
const report = { reasonCode: "crash", notes: "Black <screen> after the menu." };

/** An owner with credit for one slot, and a playtester who holds it. */
async function heldSlot(server: TestServer, body: Record<string, unknown> = {}) {
  const owner = await factories.registerOwner(server, "Olive");
  const playtester = await factories.registerPlaytester(server, "Tess");
  await factories.giveCredit(server, owner, 2000);
  const playtestId = await factories.order(owner, await factories.createGame(owner), body);
  return { owner, playtester, playtestId, slotId: await factories.claim(playtester, playtestId) };
}

async function blockedSlot(server: TestServer, why: object = report) {
  const held = await heldSlot(server);
  await held.playtester.post(`/playtester/slots/${held.slotId}/report`, why);
  return held;
}

const balanceOf = async (owner: factories.Person) => (await owner.get("/billing/balance")).body.data.balanceCents;
const slotOf = async (owner: factories.Person, id: string) => (await owner.get(`/slots/${id}`)).body.data.slot;
const heldOf = async (playtester: factories.Person, id: string) =>
  (await playtester.get(`/playtester/slots/${id}`)).body.data.slot;
const eventsOf = async (person: factories.Person, kind: string) =>
  (await person.get("/events?limit=100")).body.data.events.filter(({ event }: { event: string }) => event === kind);
const noticesOf = async (person: factories.Person, kind: string) =>
  (await person.get("/notifications?limit=100")).body.data.notifications
    .filter(({ type }: { type: string }) => type === kind)
    .map(({ title, body }: { title: string; body: string }) => `${title}: ${body}`);
const mailsTo = (server: TestServer, address: string, subject: string) =>
  server.mails.filter((mail) => mail.to === address && mail.subject === subject);

onBothDatabases("problem report", (serve, it) => {
  it("owner and admins: get an event, a notification and an email with reason and notes", async ({ server }) => {
    const admin = factories.personWith(server, (await ensureAdmin(server.deps))!, "");
    await server.deps.store.write(async (tx) => {
      const [account] = await users.listAdmins(tx);
      await users.update(tx, account!.id, { email: "operator@example.com" });
    });
    const { admin: payouts } = (await admin.post("/admin/admins", { name: "Payouts", scopes: ["money"] })).body.data;
    await server.deps.store.write((tx) => users.update(tx, payouts.id, { email: "payouts@example.com" }));
    const { owner, slotId, playtestId, playtester } = await blockedSlot(server);
    await server.advance(0);
    const data = { slotId, playtestId, playerId: playtester.id, reasonCode: "crash", notes: report.notes };
    for (const person of [owner, admin]) expect((await eventsOf(person, "slot.blocked"))[0].data).toMatchObject(data);
    expect(await noticesOf(owner, "slot.blocked")).toEqual([
      "Problem reported: Tess cannot play Lantern Deep: The game crashes. “Black <screen> after the menu.” Answer by 2026-03-15 12:00 UTC.",
    ]);
    expect(await eventsOf(playtester, "slot.blocked")).toEqual([]);
    const subject = "Tess reported a problem with Lantern Deep";
    const [toOwner, toAdmin] = ["game_owner1@example.com", "operator@example.com"].map((to) => mailsTo(server, to, subject));
    expect([toOwner!.length, toAdmin!.length]).toEqual([1, 1]);
    expect(toOwner![0]!.text).toContain("If you cannot fix it, cancel the slot.");
    for (const [mail] of [toOwner!, toAdmin!]) {
      expect(mail!.text).toContain("The game crashes.");
      expect(mail!.text).toContain(report.notes);
      expect(mail!.text).toContain("unblock the slot, which starts a new deadline");
      expect(mail!.html).toContain("Black &lt;screen&gt;");
    }
    expect(toAdmin![0]!.text).not.toContain("cancel the slot");
    const [ownersPage, operatorsPage] = [toOwner!, toAdmin!].map(([mail]) => /Answer the problem:\n(.*)/.exec(mail!.text)![1]!);
    expect(ownersPage).toMatch(/\/studio\/slots\/.*\/problem$/);
    expect(operatorsPage).toMatch(/\/admin$/);
    expect((await fetch(operatorsPage!)).status).toBe(200);
    expect(mailsTo(server, "payouts@example.com", subject)).toEqual([]);
  });

  it("admin without a reachable address: gets no email on a live server", async ({ server }) => {
    server.deps.config.sandbox = false;
    await ensureAdmin(server.deps);
    await blockedSlot(server);
    await server.advance(0);
    expect(await server.deps.store.read((q) => q.all("SELECT * FROM mails WHERE recipient LIKE '%.invalid'"))).toEqual([]);
  });

  it("report: shown with the slot, in the slot list and among the blocked submissions", async ({ server }) => {
    const { owner, slotId, playtestId } = await blockedSlot(server);
    const now = server.clock.now();
    const shown = {
      ...report,
      reportedAt: new Date(now).toISOString(),
      answerBy: new Date(now + 14 * day).toISOString(),
      outcome: null,
      message: null,
      resolvedAt: null,
    };
    expect((await slotOf(owner, slotId)).blockedReport).toEqual(shown);
    expect((await owner.get(`/playtests/${playtestId}/slots`)).body.data.slots[0].blockedReport).toEqual(shown);
    expect((await owner.get("/submissions?status=blocked")).body.data.submissions[0].blockedReport).toEqual(shown);
  });

  it("unblocked: the playtester reads the answer in the slot, a notification and an email", async ({ server }) => {
    const { owner, playtester, slotId } = await blockedSlot(server);
    await server.advance(1000);
    const reply = await owner.post(`/slots/${slotId}/unblock`, { message: "Fixed in build 12." });
    expect(reply.body.data.slot).toMatchObject({ status: "reserved", blockedReport: { outcome: "unblocked" } });
    const { blockedReport } = await heldOf(playtester, slotId);
    expect(blockedReport).toMatchObject({ outcome: "unblocked", message: "Fixed in build 12.", answerBy: null });
    expect(Date.parse(blockedReport.resolvedAt)).toBe(server.clock.now());
    expect((await owner.get("/submissions?status=reserved")).body.data.submissions[0].blockedReport).toBeNull();
    expect(await noticesOf(playtester, "slot.resolved")).toEqual([
      "Problem answered: Continue your playtest of Lantern Deep before the new deadline. “Fixed in build 12.”",
    ]);
    expect((await eventsOf(owner, "slot.resolved"))[0].data).toMatchObject({ slotId, outcome: "unblocked" });
    await server.advance(0);
    const [mail] = mailsTo(server, "playtester2@example.com", "Continue your playtest of Lantern Deep");
    expect(mail!.text).toContain("Fixed in build 12.");
    expect(mail!.text).toContain("Submit your video before Mon 2026-03-02 12:00, UTC.");
    expect(mail!.text).toContain(`${server.deps.config.baseUrl}/play/slots/${slotId}`);
  });

  it("second report: replaces the first as what is shown, and has a limit of its own", async ({ server }) => {
    const { owner, playtester, slotId } = await blockedSlot(server);
    await server.advance(10 * day);
    await owner.post(`/slots/${slotId}/unblock`);
    await playtester.post(`/playtester/slots/${slotId}/report`, { reasonCode: "unsafe" });
    expect((await slotOf(owner, slotId)).blockedReport).toMatchObject({ reasonCode: "unsafe", notes: null, outcome: null });
    await server.advance(14 * day - 1);
    expect((await slotOf(owner, slotId)).status).toBe("blocked");
    await server.advance(1);
    expect((await slotOf(owner, slotId)).status).toBe("cancelled");
  });

  it("cancelled by the owner: refunded, unpaid, and the playtester is told", async ({ server }) => {
    const { owner, playtester, slotId, playtestId } = await blockedSlot(server);
    expect(await balanceOf(owner)).toBe(0);
    const reply = await owner.delete(`/slots/${slotId}`);
    expect(reply.body.data).toEqual({ message: "The slot is cancelled.", refundedCents: 2000, refundedMinutes: 0 });
    expect(await balanceOf(owner)).toBe(2000);
    expect(await heldOf(playtester, slotId)).toMatchObject({ status: "cancelled", blockedReport: { outcome: "cancelled" } });
    expect((await playtester.get("/playtester/earnings")).body.data.balanceCents).toBe(0);
    expect((await owner.get(`/playtests/${playtestId}`)).body.data.playtest.status).toBe("cancelled");
    await server.advance(0);
    expect(mailsTo(server, "playtester2@example.com", "Your slot of Lantern Deep was cancelled")).toHaveLength(1);
    expect((await owner.delete(`/slots/${slotId}`)).status).toBe(409);
    expect(await balanceOf(owner)).toBe(2000);
  });

  it("cancelled slot that was paid with hours: its minutes are refunded", async ({ server, owner, playtester }) => {
    await factories.giveMinutes(server, owner, 60);
    const slotId = await factories.claim(playtester, await factories.order(owner, await factories.createGame(owner)));
    await playtester.post(`/playtester/slots/${slotId}/report`, report);
    expect((await owner.delete(`/slots/${slotId}`)).body.data).toMatchObject({ refundedCents: 0, refundedMinutes: 60 });
    expect((await owner.get("/billing/balance")).body.data.playtestMinutes).toBe(60);
  });

  it("not answered within the limit: refunded, unpaid, and both are told once", async () => {
    const server = await serve({ config: (config) => (config.orders.answerProblemWithinMs = 3 * day) });
    const { owner, playtester, slotId } = await blockedSlot(server);
    await server.advance(3 * day - 1);
    expect((await slotOf(owner, slotId)).status).toBe("blocked");
    await server.advance(1);
    expect(await slotOf(owner, slotId)).toMatchObject({ status: "cancelled", blockedReport: { outcome: "expired" } });
    expect(await balanceOf(owner)).toBe(2000);
    expect((await playtester.get("/playtester/earnings")).body.data.balanceCents).toBe(0);
    await server.advance(30 * day);
    expect(await noticesOf(owner, "slot.resolved")).toEqual([
      "Problem closed: The problem that Tess reported with Lantern Deep was not answered in time. The slot was cancelled. You got $20.00 back.",
    ]);
    expect(await noticesOf(playtester, "slot.resolved")).toEqual([
      "Problem answered: A problem reported with Lantern Deep was not answered in time. Your slot was cancelled. It is not paid.",
    ]);
    const [toOwner] = mailsTo(server, "game_owner1@example.com", "A slot of Lantern Deep was cancelled");
    expect(toOwner!.text).toContain("You got $20.00 back. The playtester is not paid.");
    expect(mailsTo(server, "playtester2@example.com", "Your slot of Lantern Deep was cancelled")).toHaveLength(1);
  });

  it("answered in time: the limit does nothing", async () => {
    const server = await serve({ config: (config) => (config.orders.answerProblemWithinMs = day / 2) });
    const { owner, slotId } = await blockedSlot(server);
    await owner.post(`/slots/${slotId}/unblock`);
    await server.advance(day / 2);
    expect((await slotOf(owner, slotId)).status).toBe("reserved");
  });

  it("released by the playtester: the owner is told, nothing is refunded and a slot opens", async ({ server }) => {
    const { owner, playtester, slotId, playtestId } = await blockedSlot(server);
    await playtester.post(`/playtester/slots/${slotId}/release`);
    expect((await slotOf(owner, slotId)).blockedReport.outcome).toBe("released");
    expect(await noticesOf(owner, "slot.resolved")).toEqual([
      "Problem closed: Tess released the blocked playtest slot of Lantern Deep.",
    ]);
    expect(await balanceOf(owner)).toBe(0);
    expect((await owner.get(`/playtests/${playtestId}`)).body.data.playtest.slots.open).toBe(1);
  });

  it("report without a limit, from before the upgrade: announced, and gets its limit then", async ({ server }) => {
    const { owner, slotId } = await heldSlot(server);
    await server.deps.store.write(async (tx) => {
      const old = { id: "old", slot_id: slotId, reason_code: "crash", notes: "Old.", reported_at: server.clock.now() };
      await tx.run("UPDATE slots SET status = 'blocked', deadline_at = NULL WHERE id = ?", slotId);
      await tx.run(
        "INSERT INTO blocked_reports (id, slot_id, reason_code, notes, reported_at) VALUES (?, ?, ?, ?, ?)",
        ...Object.values(old),
      );
      await server.deps.jobs.schedule(tx, { kind: "resolve-problem", key: "old", payload: { reportId: "old" }, runAt: 0 });
    });
    await server.advance(1);
    expect(await noticesOf(owner, "slot.blocked")).toHaveLength(1);
    await server.advance(14 * day);
    expect((await slotOf(owner, slotId)).status).toBe("cancelled");
    expect(await noticesOf(owner, "slot.blocked")).toHaveLength(1);
    expect(await balanceOf(owner)).toBe(2000);
  });
});
