import { expect, it } from "vitest";
import { onBothDatabases } from "../helpers/each.ts";
import * as factories from "../helpers/factories.ts";
import { lastMail } from "../helpers/mails.ts";

const password = "correct horse";
const bank = { method: "bank", holder: "Ann Aal", iban: "NL91ABNA0417164300" };
const paypal = { method: "paypal", email: "bob@example.com" };

onBothDatabases("payout batches", (serve) => {
  /** Ann is paid by bank, Bob by PayPal, Cyd has no payout details; each has earned $10.00. */
  async function open() {
    const server = await serve();
    const [admin, owner] = [await factories.firstAdmin(server), await factories.registerOwner(server)];
    await factories.giveCredit(server, owner, 100_000);
    const gameId = await factories.createGame(owner);
    const [ann, bob, cyd] = [
      await factories.registerPlaytester(server, "Ann"),
      await factories.registerPlaytester(server, "Bob"),
      await factories.registerPlaytester(server, "Cyd"),
    ];
    const earn = async (person: factories.Person) =>
      owner.post(`/slots/${await factories.play(server, person, await factories.order(owner, gameId))}/accept`);
    for (const person of [ann, bob, cyd]) await earn(person);
    await ann.post("/playtester/payout-details", { ...bank, password });
    await bob.post("/playtester/payout-details", { ...paypal, password });
    const make = (body: object = {}, idempotencyKey?: string) =>
      server.request("POST", "/admin/payout-batches", {
        key: admin.key,
        body,
        ...(idempotencyKey && { headers: { "Idempotency-Key": idempotencyKey } }),
      });
    const payoutsOf = async (batchId: string) =>
      (await admin.get(`/admin/payouts?batch=${batchId}`)).body.data.payouts as Record<string, string>[];
    const of = async (batchId: string, name: string) =>
      (await payoutsOf(batchId)).find(({ displayName }) => displayName === name)!;
    const settle = (batchId: string, ...rows: object[]) => admin.post(`/admin/payout-batches/${batchId}/settle`, { rows });
    const earnings = async (person: factories.Person) => await person.getEarnings();
    return { server, admin, owner, ann, bob, cyd, earn, make, payoutsOf, of, settle, earnings };
  }

  it("pay each playtester who can be paid once; the same key gives the same batch", async () => {
    const { admin, ann, cyd, make, payoutsOf, earnings } = await open();
    const reply = await make({}, "monthly-2026-11");
    expect(reply.status).toBe(201);
    const { batch, skipped } = reply.body.data;
    const none = { payouts: 0, amountCents: 0 };
    expect(batch).toMatchObject({
      total: { payouts: 2, amountCents: 2000 },
      pending: { payouts: 2, amountCents: 2000 },
      completed: none,
      failed: none,
    });
    expect(skipped).toEqual({ noDetails: 1, newDetails: 0, suspended: 0, otherMethod: 0, belowMinimum: 0 });
    const rows = (await payoutsOf(batch.id)).map(({ displayName, method, masked, status }) => [
      displayName,
      method,
      masked,
      status,
    ]);
    expect(rows.sort()).toEqual([
      ["Ann", "bank", "IBAN NL ••••4300", "pending"],
      ["Bob", "paypal", "b••••@example.com", "pending"],
    ]);
    expect((await make({}, "monthly-2026-11")).body.data.batch.id).toBe(batch.id);
    const again = await make();
    expect([again.status, again.body.error.message]).toEqual([
      409,
      "Nobody who can be paid has at least $0.01 available. Not paid: 1 without payout details. No payout was made. See `playtest admin owed`.",
    ]);
    expect(await earnings(ann)).toMatchObject({ balanceCents: 0, pendingCents: 1000, paidCents: 0 });
    expect((await earnings(ann)).entries[0]).toMatchObject({
      amountCents: -1000,
      payoutStatus: "pending",
      paidTo: "IBAN NL ••••4300",
    });
    expect(await earnings(cyd)).toMatchObject({ balanceCents: 1000, pendingCents: 0 });
    expect((await admin.listPayoutBatches()).batches).toEqual([batch]);
    const notices = (await ann.listNotifications()).notifications as { type: string }[];
    expect(notices.filter(({ type }) => type.startsWith("payout."))).toEqual([]);
  });

  it("made at the same time pay nobody twice", async () => {
    const { ann, bob, make, earnings } = await open();
    const replies = await Promise.all([1, 2, 3].map(() => make()));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    for (const person of [ann, bob]) expect(await earnings(person)).toMatchObject({ balanceCents: 0, pendingCents: 1000 });
  });

  it("leave out who has less than the minimum, another method or a suspended account", async () => {
    const { admin, bob, earn, make, payoutsOf } = await open();
    await earn(bob);
    const below = (await make({ minCents: 1500 })).body.data;
    expect([below.batch.total, below.skipped.belowMinimum]).toEqual([{ payouts: 1, amountCents: 2000 }, 2]);
    await earn(bob);
    await admin.suspendUser({ params: { id: bob.id } });
    const { batch, skipped } = (await make({ method: "bank" })).body.data;
    expect(skipped).toMatchObject({ noDetails: 1, suspended: 1 });
    expect((await payoutsOf(batch.id)).map(({ displayName }) => displayName)).toEqual(["Ann"]);
    expect((await make({ method: "paypal" })).status).toBe(409);
  });

  it("give the details that the payouts were made to, to whoever may move money, and seal them at rest", async () => {
    const { server, admin, ann, make, settle } = await open();
    const { batch } = (await make()).body.data;
    await ann.setPayoutDetails({ body: { method: "paypal", email: "mallory@example.com", password } });
    const instructions = async (method: string) =>
      (await admin.post(`/admin/payout-batches/${batch.id}/instructions`, { method })).body.data.payments;
    const empty = {
      address: null,
      country: null,
      taxNumber: null,
      iban: null,
      accountNumber: null,
      routingNumber: null,
      email: null,
      instructions: null,
    };
    const [payment] = await instructions("bank");
    expect(payment).toEqual({
      ...empty,
      ...bank,
      payoutId: expect.any(String),
      reference: expect.stringMatching(/^PO-[0-9A-F]{12}$/),
      amountCents: 1000,
      currency: "USD",
    });
    expect(await instructions("paypal")).toMatchObject([{ email: "bob@example.com", amountCents: 1000, holder: null }]);
    const stored = async () => JSON.stringify(await server.deps.store.read((q) => q.all("SELECT * FROM payouts")));
    expect(await stored()).not.toMatch(/ABNA|bob@|Aal/);
    await settle(batch.id, { reference: payment.reference, status: "paid" });
    expect(await instructions("bank")).toEqual([]);
    const left = await server.deps.store.read((q) => q.all("SELECT id FROM payouts WHERE details IS NOT NULL"));
    expect(left).toHaveLength(1);
    expect((await ann.post(`/admin/payout-batches/${batch.id}/instructions`, { method: "bank" })).status).toBe(403);
  });

  it("are settled by a returned file, safely repeated; what failed is owed again", async () => {
    const { server, admin, ann, bob, make, of, settle, earnings } = await open();
    const { batch } = (await make()).body.data;
    const [toAnn, toBob] = [await of(batch.id, "Ann"), await of(batch.id, "Bob")];
    const outcomes = async (...rows: object[]) =>
      ((await settle(batch.id, ...rows)).body.data.results as { outcome: string }[]).map(({ outcome }) => outcome);
    expect(
      await outcomes({ reference: toAnn.reference, status: "paid", amountCents: 999 }, { reference: "PO-NONE", status: "paid" }),
    ).toEqual(["amount_differs", "unknown"]);
    const file = [
      { reference: toAnn.reference, status: "paid", amountCents: 1000 },
      { reference: toBob.id, status: "failed", failure: "Account closed" },
      { reference: toBob.reference, status: "paid" },
    ];
    expect(await outcomes(...file)).toEqual(["paid", "failed", "repeated"]);
    expect(await outcomes(...file)).toEqual(["already_paid", "already_failed", "repeated"]);
    expect(await outcomes({ reference: toBob.reference, status: "paid" })).toEqual(["failed_before"]);
    expect((await admin.getPayoutBatch({ params: { id: batch.id } })).batch).toMatchObject({
      pending: { payouts: 0 },
      completed: { payouts: 1, amountCents: 1000 },
      failed: { payouts: 1, amountCents: 1000 },
    });
    expect(await earnings(ann)).toMatchObject({ balanceCents: 0, paidCents: 1000, pendingCents: 0 });
    expect(await earnings(bob)).toMatchObject({ balanceCents: 1000, paidCents: 0, pendingCents: 0 });
    expect((await earnings(bob)).entries[0]).toMatchObject({
      amountCents: 1000,
      payoutStatus: "failed",
      failure: "Account closed",
    });
    await server.advance(0);
    expect(lastMail(server, "$10.00 of your earnings were paid out").to).toContain((await ann.getMe()).email);
    expect(lastMail(server, "Your payout of $10.00 failed").text).toContain("Reason: Account closed");
    const next = (await make()).body.data.batch;
    expect(next.total).toEqual({ payouts: 1, amountCents: 1000 });
  });

  it("are settled by hand; a payout that was paid can be returned, and one that failed is final", async () => {
    const { admin, ann, bob, make, of, earnings } = await open();
    const { batch } = (await make()).body.data;
    const [toAnn, toBob] = [await of(batch.id, "Ann"), await of(batch.id, "Bob")];
    const say = async (id: string, move: "complete" | "fail") => (await admin.post(`/admin/payouts/${id}/${move}`, {})).status;
    expect([await say(toAnn.id!, "complete"), await say(toAnn.id!, "complete"), await say(toAnn.id!, "fail")]).toEqual([
      200, 409, 200,
    ]);
    expect([await say(toBob.id!, "fail"), await say(toBob.id!, "complete")]).toEqual([200, 409]);
    for (const person of [ann, bob])
      expect(await earnings(person)).toMatchObject({ balanceCents: 1000, paidCents: 0, pendingCents: 0 });
  });

  it("keep an account from being deleted while its payout is on the way", async () => {
    const { admin, ann, make, of } = await open();
    const { batch } = (await make()).body.data;
    const refused = await ann.post("/auth/delete-account", { password });
    expect(refused.body.error.message).toContain("1 payout on the way");
    expect((await admin.delete(`/admin/users/${ann.id}`)).status).toBe(409);
    await admin.post(`/admin/payouts/${(await of(batch.id, "Ann")).id}/complete`);
    expect((await ann.post("/auth/delete-account", { password })).status).toBe(200);
    expect(await of(batch.id, "Deleted account")).toMatchObject({ masked: null, status: "completed" });
  });
});
