import { expect, test } from "vitest";
import { openTill } from "../helpers/billing.ts";
import { instructionsOf, openWallet } from "../helpers/crypto.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { firstAdmin, registerOwner, registerPlaytester } from "../helpers/factories.ts";

const hour = 3_600_000;

onBothDatabases("suspense", (serve) => {
  async function open(currency = "USDC") {
    const server = await serve();
    const till = await openTill(server);
    const wallet = await openWallet(server, till.owner);
    const admin = await firstAdmin(server);
    const asked = await wallet.ask(2000, "base", currency);
    return { server, till, wallet, admin, asked, paymentId: asked.body.error.payment.id as string };
  }
  type Scene = Awaited<ReturnType<typeof open>>;

  const list = async ({ admin }: Scene, status = "suspense") =>
    (await admin.get(`/admin/suspense?status=${status}`)).body.data.suspense;
  /** Sends less than asked for, and names it; the entry it makes. */
  async function short(scene: Scene, by: number, currency = "USDC") {
    const txHash = await scene.wallet.send(scene.asked, { by });
    expect((await scene.wallet.prove(txHash, "base", currency)).status).toBe(402);
    const [entry] = await list(scene);
    return { ...entry, txHash };
  }
  /** Crypto that nobody asked for arrives, and is found. */
  async function unmatched(scene: Scene) {
    const to = instructionsOf(scene.asked).receiver;
    const body = { chain: "base", currency: "USDC", to, amount: "12345678" };
    await scene.server.request("POST", "/sandbox/chain/transactions", { body });
    await scene.server.advance(3 * 24 * hour);
    return (await list(scene))[0];
  }
  const notices = async ({ owner }: Scene["till"]): Promise<{ title: string; body: string }[]> =>
    (await owner.get("/notifications")).body.data.notifications;

  test("credit: once, at the recorded rate; the list has reason and owner", async () => {
    const scene = await open();
    const { admin, till, wallet, paymentId } = scene;
    const entry = await short(scene, -1_500_000);
    expect(await list(scene)).toEqual([
      {
        ...{ id: entry.id, status: "suspense", reason: "short", amountCents: 1850, chain: "base", currency: "USDC" },
        ...{ cryptoAmount: expect.stringMatching(/^18\.5/), txHash: entry.txHash, userId: till.owner.id, paymentId },
        ...{ sender: null, proof: null, displayName: expect.stringMatching(/^game_owner/) },
        ...{ note: null, resolvedBy: null, resolvedAt: null, createdAt: expect.any(String) },
      },
    ]);
    const resolve = () => admin.post(`/admin/suspense/${entry.id}/resolve`, { note: "Close enough.", userId: till.owner.id });
    const replies = await Promise.all([resolve(), resolve(), resolve()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await resolve()).body.error.message).toContain("(Close enough.). Nothing was changed.");
    const { suspense, payment } = replies.find(({ status }) => status === 200)!.body.data;
    expect(suspense).toMatchObject({ status: "credited", note: "Close enough.", resolvedBy: admin.id, userId: till.owner.id });
    expect(payment).toMatchObject({ amountCents: 1850, status: "completed", provider: "x402", externalId: entry.txHash });
    expect([await wallet.credit(), await wallet.suspense(paymentId)]).toEqual([1850, 0]);
    expect(await till.events("payment.completed")).toEqual([
      { paymentId: payment.id, amountCents: 1850, status: "completed", provider: "x402" },
    ]);
    expect((await till.owner.get(`/billing/payments/${payment.id}/invoice`)).status).toBe(200);
    expect([await list(scene), (await list(scene, "credited")).length]).toEqual([[], 1]);
    expect((await admin.post(`/admin/suspense/${entry.id}/refund`, { note: "No." })).status).toBe(409);
  });

  test("credit: once per idempotency key, and the quote can still be paid", async () => {
    const scene = await open();
    const entry = await short(scene, -1_500_000);
    const resolve = () =>
      scene.admin.post(
        `/admin/suspense/${entry.id}/resolve`,
        { note: "Fine.", userId: scene.till.owner.id },
        { "idempotency-key": "once" },
      );
    const [first, again] = [await resolve(), await resolve()];
    expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([200, first.text, "true"]);
    expect((await scene.wallet.prove(await scene.wallet.send(scene.asked))).status).toBe(200);
    expect(await scene.wallet.credit()).toBe(3850);
  });

  test.each([
    ["more", 600_000],
    ["less", 1000],
  ])("credit: at a given rate, when the coin is worth %s by then", async (_, rateCents) => {
    const scene = await open("ETH");
    const gwei = 10n ** 9n;
    const entry = await short(scene, -Number(gwei), "ETH");
    const worth = Number(((BigInt(instructionsOf(scene.asked).maxAmountRequired) - gwei) * BigInt(rateCents)) / 10n ** 18n);
    const reply = await scene.admin.post(`/admin/suspense/${entry.id}/resolve`, {
      note: "At today's rate.",
      rateCents,
      userId: scene.till.owner.id,
    });
    expect([reply.body.data.payment.amountCents, await scene.wallet.credit()]).toEqual([worth, worth]);
    expect([entry.amountCents === worth, await scene.wallet.received("base", "ETH")]).toEqual([false, worth]);
  });

  test("credit: first settles what a chargeback left owing", async () => {
    const scene = await open();
    const { till, admin } = scene;
    const { paymentId } = await till.buy(3000);
    await till.complete(paymentId, "paid");
    await till.spend("credit", 3000);
    await admin.post(`/admin/payments/${paymentId}/chargeback`);
    const entry = await short(scene, -1_500_000);
    await admin.post(`/admin/suspense/${entry.id}/resolve`, { note: "Fine.", userId: till.owner.id });
    expect([await till.credit(), await till.owedCents()]).toEqual([0, 1150]);
  });

  test("refund: once, and the owner is notified with the reason", async () => {
    const scene = await open();
    const { admin, till, wallet, paymentId } = scene;
    const entry = await short(scene, -1_500_000);
    const refund = () => admin.post(`/admin/suspense/${entry.id}/refund`, { note: "Sent back by 0x9f." });
    const replies = await Promise.all([refund(), refund()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect([await wallet.credit(), await wallet.suspense(paymentId), await wallet.received()]).toEqual([0, 0, 0]);
    expect(await till.events("payment.failed")).toEqual([{ paymentId, amountCents: 1850, status: "failed", provider: "x402" }]);
    expect((await notices(till))[0]).toMatchObject({
      title: "Payment refunded",
      body: "Your crypto payment of $18.50 was refunded instead of credited: Sent back by 0x9f.",
    });
    expect((await admin.post(`/admin/suspense/${entry.id}/resolve`, { note: "No." })).status).toBe(409);
    expect(await list(scene, "refunded")).toMatchObject([{ note: "Sent back by 0x9f.", resolvedBy: admin.id }]);
  });

  test("named only: crediting requires an owner, unless the amount says whose deposit it is", async () => {
    const scene = await open();
    const { admin, till } = scene;
    const named = await short(scene, -1_500_000);
    const refused = await admin.post(`/admin/suspense/${named.id}/resolve`, { note: "Fine." });
    expect([refused.status, refused.body.error.details]).toEqual([
      422,
      [{ field: "userId", message: expect.stringContaining(`account ${till.owner.id} only named it`) }],
    ]);
    await scene.server.advance(hour);
    const late = await scene.wallet.send(scene.asked);
    expect((await scene.wallet.prove(late)).status).toBe(409);
    const entry = (await list(scene)).find(({ txHash }: { txHash: string }) => txHash === late);
    expect((await admin.post(`/admin/suspense/${entry.id}/resolve`, { note: "Fine." })).status).toBe(200);
    expect(await till.credit()).toBe(2000);
    // Named again, it says what became of it.
    expect((await scene.wallet.prove(late)).body.data.creditedCents).toBe(2000);
  });

  test("named only: the export of who named it has a decision that they were told, not one about another account", async () => {
    const scene = await open();
    const { admin, till } = scene;
    const [credited, refunded] = [await short(scene, -1_500_000), await short(scene, -1_000_000)];
    const other = await registerOwner(scene.server);
    await admin.post(`/admin/suspense/${credited.id}/resolve`, { note: "Sent by another.", userId: other.id });
    await admin.post(`/admin/suspense/${refunded.id}/refund`, { note: "Sent back." });
    const { cryptoDeposits } = (await till.owner.exportAccount()).records;
    expect(Object.fromEntries(cryptoDeposits!.map(({ status, resolution }) => [status, resolution]))).toEqual({
      credited: null,
      refunded: "Sent back.",
    });
  });

  test("without a quote: crediting requires an owner", async () => {
    const scene = await open();
    const { admin, till, server } = scene;
    const entry = await unmatched(scene);
    expect(entry).toMatchObject({ reason: "unmatched", amountCents: 1234, userId: null, paymentId: null });
    const tester = await registerPlaytester(server);
    const resolve = (body: object) => admin.post(`/admin/suspense/${entry.id}/resolve`, { note: "Asked by mail.", ...body });
    for (const body of [{}, { userId: tester.id }, { userId: server.deps.newId() }]) {
      const refused = await resolve(body);
      expect([refused.status, refused.body.error.details[0].field]).toEqual([422, "userId"]);
    }
    expect((await resolve({ userId: till.owner.id, rateCents: 0 })).status).toBe(422);
    expect((await resolve({ userId: till.owner.id })).status).toBe(200);
    expect([await till.credit(), (await list(scene, "credited"))[0].userId]).toEqual([1234, till.owner.id]);
  });

  test("an account that was deleted is not credited, whether it is named or the amount says that it is its own", async () => {
    const scene = await open();
    const { admin, till, server } = scene;
    await server.advance(hour);
    expect((await scene.wallet.prove(await scene.wallet.send(scene.asked))).status).toBe(409);
    const [late] = await list(scene);
    const nameless = await unmatched(scene);
    await admin.deleteUser({ params: { id: till.owner.id } });
    const resolve = (id: string, userId?: string) => admin.post(`/admin/suspense/${id}/resolve`, { note: "Asked.", userId });
    const message = `must be of another account: ${till.owner.id} was deleted. Name another game owner, or refund the deposit`;
    for (const refused of [await resolve(late.id), await resolve(nameless.id, till.owner.id)])
      expect([refused.status, refused.body.error.details]).toEqual([422, [{ field: "userId", message }]]);
    const other = await registerOwner(server);
    expect((await resolve(late.id, other.id)).status).toBe(200);
    expect((await admin.post(`/admin/suspense/${nameless.id}/refund`, { note: "Sent back." })).status).toBe(200);
  });

  test("without a quote: a refund notifies nobody", async () => {
    const scene = await open();
    const entry = await unmatched(scene);
    expect((await scene.admin.post(`/admin/suspense/${entry.id}/refund`, { note: "Sent back." })).status).toBe(200);
    expect([await scene.wallet.received(), await scene.till.events("payment.failed")]).toEqual([0, []]);
  });

  test("access: only for admins, and 404 for an unknown one", async () => {
    const scene = await open();
    const { admin, server, till } = scene;
    await till.complete((await till.buy()).paymentId, "paid");
    expect((await (await registerOwner(server)).get("/admin/suspense")).status).toBe(403);
    expect((await admin.post(`/admin/suspense/${server.deps.newId()}/resolve`, { note: "x" })).status).toBe(404);
    expect((await admin.post(`/admin/suspense/${server.deps.newId()}/refund`, {})).status).toBe(422);
  });
});
