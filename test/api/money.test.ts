import { expect, test } from "vitest";
import { accounts } from "../../server/ledger/rules.ts";
import { openTill, type Till } from "../helpers/billing.ts";
import { onBothDatabases } from "../helpers/each.ts";
import { createGame, giveMinutes, order, play, registerPlaytester } from "../helpers/factories.ts";

onBothDatabases("the money of an order", (serve) => {
  async function open(cents: number) {
    const till = await openTill(await serve());
    if (cents > 0) await till.complete((await till.buy(cents)).paymentId, "paid");
    return { till, owner: till.owner, server: till.server, gameId: await createGame(till.owner) };
  }
  /** What an account has in it, in cents or minutes. */
  async function held({ server }: Till, account: string): Promise<number> {
    const sql = "SELECT COALESCE(SUM(amount), 0) AS total FROM ledger_postings WHERE account_id = ?";
    return 0 - Number((await server.deps.store.read((q) => q.one<{ total: number }>(sql, account)))!.total);
  }

  test("credit: an order moves all of it to a hold, and accepting splits it between playtester and platform", async () => {
    const { till, owner, server, gameId } = await open(2000);
    const playtestId = await order(owner, gameId);
    expect([await till.credit(), await held(till, accounts.held(playtestId))]).toEqual([0, 2000]);
    const tester = await registerPlaytester(server);
    const slotId = await play(server, tester, playtestId);
    expect((await owner.post(`/slots/${slotId}/accept`)).status).toBe(200);
    const after = [accounts.held(playtestId), accounts.payable(tester.id), accounts.revenuePlatform];
    expect(await Promise.all(after.map((account) => held(till, account)))).toEqual([0, 1000, 1000]);
  });

  test("credit: one cent too little orders nothing, and the error has both amounts", async () => {
    const { till, owner, gameId } = await open(2001);
    await till.spend("credit", 2);
    const before = (await owner.listPayments()).payments;
    const reply = await owner.post(`/games/${gameId}/playtests`, { quantity: 1 });
    const message = "The balance is $19.99, but $20.00 is required.";
    expect([reply.status, reply.body.error.code, reply.body.error.details]).toEqual([
      402,
      "PAYMENT_REQUIRED",
      [{ field: "balance", message }],
    ]);
    const [payments, playtests] = [await owner.get("/billing/payments"), await owner.get(`/games/${gameId}/playtests`)];
    expect([payments.body.data.payments, playtests.body.data.playtests, await till.credit()]).toEqual([before, [], 1999]);
  });

  test("hours: spent to the minute, and the history says on what", async () => {
    const { till, owner, server, gameId } = await open(0);
    await giveMinutes(server, owner, 120);
    const { data } = (await owner.post(`/games/${gameId}/playtests`, { quantity: 2 })).body;
    expect(data).toMatchObject({ paidWithPlaytestHours: true, playtestMinutesRemaining: 0 });
    const { entries } = await owner.listPlaytestHoursHistory();
    expect(entries[0]).toMatchObject({ amountMinutes: -120, source: `playtest:${data.playtest.id}` });
    expect(await held(till, accounts.minutesHeld(data.playtest.id))).toBe(120);
  });
});
