import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, firstAdmin, giveCredit, order, play, registerOwner, registerPlaytester } from "../helpers/factories.ts";
import { signedIn } from "../helpers/portal.ts";
import type { TestServer } from "../helpers/server.ts";

const money = /\$\d|payout|\bearn|unpaid|\bpaid\b|refund/i;

onBothDatabases("a server without payments", (serve) => {
  /** With payments at first: `switchOff` stands for the configuration of the next start. */
  async function open(enabled = true) {
    const server = await serve({ config: (config) => void Object.assign(config.payments, { enabled }) });
    const [owner, playtester] = [await registerOwner(server), await registerPlaytester(server, "Ann")];
    const gameId = await createGame(owner);
    const admin = await firstAdmin(server);
    return { server, owner, playtester, gameId, admin };
  }
  const switchOff = (server: TestServer) => void Object.assign(server.deps.config.payments, { enabled: false });
  const transfers = async (server: TestServer) =>
    (await server.deps.store.read((q) => q.one<{ n: number }>("SELECT COUNT(*) AS n FROM ledger_transfers")))!.n;

  it("order: free whatever it asks to be paid with, and accepting it pays nobody", async () => {
    const { server, owner, playtester, gameId } = await open(false);
    const quote = (await owner.post("/playtests/quote", { gameId, quantity: 3 })).body.data;
    expect(quote).toMatchObject({ totalCents: 0, payoutCents: 0, playtestMinutesNeeded: 0, wouldPayWith: "free" });
    for (const method of ["card", "credit", "hours", "x402"]) {
      const reply = await owner.post(`/games/${gameId}/playtests`, {}, { "x-payment-method": method });
      expect([method, reply.status, reply.body.data.playtest]).toMatchObject([
        method,
        201,
        { status: "active", costPerSlotCents: 0, payoutCents: 0 },
      ]);
    }
    const slotId = await play(server, playtester, await order(owner, gameId));
    expect((await owner.post(`/slots/${slotId}/accept`)).body.data.message).toBe("Submission accepted.");
    const cancelled = await owner.post(`/playtests/${await order(owner, gameId)}/cancel`);
    expect(cancelled.body.data).toMatchObject({ refundedCents: 0, refundedMinutes: 0 });
    expect(await transfers(server)).toBe(0);
    expect((await playtester.get("/playtester/earnings")).body.data).toMatchObject({ balanceCents: 0, entries: [] });
  });

  it("money: nothing new can be bought, granted or promised, and the server says so", async () => {
    const { server, owner, gameId, admin } = await open();
    const unpaid = (await owner.post(`/games/${gameId}/playtests`, {}, { "x-payment-method": "card" })).body.data.playtest.id;
    switchOff(server);
    const replies = [
      await owner.post("/billing/credit", { amountCents: 2000 }),
      await owner.post("/billing/credit/x402", { amountCents: 2000 }, { "x-payment-method": "x402" }),
      await owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" }),
      await owner.post(`/playtests/${unpaid}/pay`, { method: "credit" }),
      await admin.post(`/admin/users/${owner.id}/credit`, { amountCents: 100, note: "sorry" }),
      await admin.post(`/admin/users/${owner.id}/hours`, { minutes: 60, note: "sorry" }),
    ];
    const expected = { code: "NOT_CONFIGURED", message: "This server runs without payments. Nothing was started or charged." };
    expect(replies.map(({ body }) => body.error)).toEqual(replies.map(() => expected));
    const info = await (await open(false)).server.request("GET", "/info/server");
    expect([info.body.data.features.payments, info.headers.get("playtest-payments")]).toEqual([false, "off"]);
  });

  it("pages, emails and notifications: say nothing about money", async () => {
    const { server, owner, playtester, gameId } = await open(false);
    const rejected = await play(server, playtester, await order(owner, gameId));
    await owner.post(`/slots/${rejected}/reject`, { reason: "No sound." });
    const accepted = await play(server, playtester, await order(owner, gameId));
    await owner.post(`/slots/${accepted}/accept`);
    await order(owner, gameId);
    await server.advance(60_000);
    const visitor = await signedIn(server, playtester);
    for (const page of [
      "/play",
      "/play/slots",
      `/play/slots/${accepted}`,
      `/play/slots/${rejected}`,
      "/play/notifications",
      "/play/account",
      "/play/account/emails",
    ])
      expect([page, money.exec((await visitor.get(page)).html.replace(/<head>.*?<\/head>/s, ""))?.[0]]).toEqual([
        page,
        undefined,
      ]);
    const mails = server.mails.filter(({ subject }) => !/verif/i.test(subject));
    expect(mails.length).toBeGreaterThan(2);
    expect(mails.filter(({ text }) => money.test(text)).map(({ subject }) => subject)).toEqual([]);
    const { notifications } = (await owner.get("/notifications")).body.data;
    expect(notifications.filter(({ body }: { body: string }) => money.test(body))).toEqual([]);
  });

  it("pages for owners and the documentation: say nothing about money, or that it is not for this server", async () => {
    const { server } = await open(false);
    const textOf = async (path: string) => (await (await fetch(server.baseUrl + path)).text()).replace(/<head>.*?<\/head>/s, "");
    const id = "01a2021b-5f70-71cf-bf71-63e3d8d402dd";
    for (const task of ["review", "playtest", "problem", "applications", "chat", "approval", "webhook"])
      for (const path of [`/todo/${task}`, `/todo/${task}/${id}`])
        expect([path, /\$\d|pays|price|card/i.exec(await textOf(path))?.[0]]).toEqual([path, undefined]);
    for (const path of ["/todo/credit", "/todo/payment", "/todo/subscription"]) {
      expect(await textOf(path)).toContain("This server runs without payments.");
      expect(await textOf(path)).not.toContain("credit add");
    }
    const mainOf = async (path: string) => /<main.*<\/main>/s.exec(await textOf(path))![0];
    for (const name of ["", "ordering", "billing", "playtesters", "reviewing", "studio", "bulk"]) {
      const text = await mainOf(`/docs/${name}`);
      expect(text).toContain("This server runs without payments: playtests cost and earn nothing here.");
      if (name === "") expect(text).not.toContain("/docs/billing");
      else
        expect([name, /\$\d|\bprices?\b|payout|refund|\bcredit\b/i.exec(text.replace(/<table.*?<\/table>/gs, ""))?.[0]]).toEqual([
          name,
          undefined,
        ]);
    }
    expect(await mainOf("/docs/configuration")).toContain("is for servers that take payments.");
  });

  it("switch with balances: what was paid and earned before stays owed, visible and can be settled", async () => {
    const { server, owner, playtester, gameId, admin } = await open();
    await giveCredit(server, owner, 10_000);
    const earned = await play(server, playtester, await order(owner, gameId));
    await owner.post(`/slots/${earned}/accept`);
    const before = await play(server, playtester, await order(owner, gameId));
    const open2 = await order(owner, gameId);
    switchOff(server);
    expect((await owner.post(`/slots/${before}/accept`)).body.data.message).toBe(
      "Submission accepted. The playtester earned $10.00.",
    );
    expect((await owner.post(`/playtests/${open2}/cancel`)).body.data.refundedCents).toBe(2000);
    expect((await owner.get("/billing/balance")).body.data.balanceCents).toBe(6000);
    expect((await admin.get("/admin/stats")).body.data).toMatchObject({ creditCents: 6000, payableCents: 2000 });
    const owed = (await admin.get("/inbox")).body.data.items.find(({ kind }: { kind: string }) => kind === "payoutsOwed");
    expect(owed).toMatchObject({ count: 1, amountCents: 2000 });
    const page = (await (await signedIn(server, playtester)).get("/play/earnings")).html;
    expect(page).toContain("$20.00");
    await server.advance(8 * 86_400_000);
    const paid = await admin.post("/admin/payouts", { userId: playtester.id, amountCents: 2000 });
    expect(paid.status).toBe(201);
    expect((await admin.get("/admin/stats")).body.data.payableCents).toBe(0);
  });

  it("plan: not renewed, and ends with its period", async () => {
    const { server, owner } = await open();
    const { subscriptionId } = (await owner.post("/billing/subscription/checkout", { planKey: "indie_monthly" })).body.data;
    await server.request("POST", `/sandbox/subscriptions/${subscriptionId}/complete`, { body: { outcome: "paid" } });
    switchOff(server);
    await server.advance(40 * 86_400_000);
    expect((await owner.get("/billing/subscription")).body.data).toMatchObject({ playtestMinutes: 300 });
    expect((await owner.get("/billing/payments")).body.data.payments).toHaveLength(1);
  });
});
