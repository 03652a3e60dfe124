import { describe, expect, it } from "vitest";
import { checkLedger, repairBalances } from "../../server/store/ledger-checks.ts";
import { startTestServer, type TestServer } from "../helpers/server.ts";
import { drivers } from "../helpers/store.ts";
import { createGame, giveCredit, giveMinutes, order, play, registerOwner, registerPlaytester } from "../helpers/story.ts";

/** An owner with one accepted slot, one rejected, one refunded and one still open, by credit and by hours. */
async function tellStory(server: TestServer) {
  const owner = await registerOwner(server);
  const gameId = await createGame(owner);
  await giveCredit(server, owner, 20_000);
  for (const paidBy of ["credit", "hours"]) {
    if (paidBy === "hours") await giveMinutes(server, owner, 240);
    const playtestId = await order(owner, gameId, { quantity: 4 });
    const accepted = await play(server, await registerPlaytester(server), playtestId);
    const rejected = await play(server, await registerPlaytester(server), playtestId);
    await owner.post(`/playtests/slots/${accepted}/accept`);
    await owner.post(`/playtests/slots/${rejected}/reject`, { reason: "no sound" });
    const { slots } = (await owner.get(`/playtests/${playtestId}/slots`)).body.data;
    await owner.delete(`/playtests/slots/${slots.find((slot: { status: string }) => slot.status === "open").id}`);
  }
}

const rows: [rule: string, break_: string][] = [
  [
    "ledger_1_transfers",
    "UPDATE ledger_postings SET amount = amount + 1 WHERE account_id LIKE 'liab:credit:%' AND amount = -20000",
  ],
  ["ledger_2_balances", "UPDATE ledger_accounts SET balance = balance - 5 WHERE id LIKE 'liab:credit:%'"],
  [
    "ledger_3_overdrafts",
    "UPDATE ledger_postings SET created_at = created_at + 1 WHERE account_id LIKE 'liab:credit:%' AND amount = -20000",
  ],
  ["ledger_4_holds", "UPDATE slots SET status = 'cancelled' WHERE status = 'open'"],
  [
    "ledger_5_once",
    "UPDATE ledger_transfers SET event_key = 'lost' WHERE id = (SELECT MIN(id) FROM ledger_transfers WHERE source = 'accept:')",
  ],
  ["ledger_6_hours", "UPDATE ledger_transfers SET owner_id = NULL WHERE asset = 'MIN'"],
  ["ledger_7_processors", "UPDATE payments SET amount_cents = amount_cents + 1 WHERE provider = 'sandbox'"],
  [
    "ledger_8_deposits",
    "INSERT INTO crypto_deposits (chain, tx_hash, tx_index, currency, receiver, amount_atomic, owner_id, payment_id, value_cents, status, seen_at) VALUES ('base', '0x1', 0, 'USDC', '0x2', '5', 'o', 'p', 5, 'credited', 1)",
  ],
  [
    "ledger_9_immutable",
    "DELETE FROM ledger_postings WHERE transfer_id = (SELECT MIN(id) FROM ledger_transfers WHERE source = 'order:')",
  ],
  ["ledger_10_causes", "UPDATE payments SET status = 'pending' WHERE provider = 'sandbox'"],
];

describe.each(drivers)("the invariants of the ledger ($name)", (driver) => {
  it("hold after a story, and each notices when it is broken", async () => {
    const store = await driver.open();
    const server = await startTestServer({ store });
    await tellStory(server);
    const failed = async () => (await store.read(checkLedger)).filter(({ ok }) => !ok).map(({ name }) => name);
    expect(await failed()).toEqual([]);
    for (const [rule, breakIt] of rows) {
      const undo = new Error("undo");
      const found = store.write(async (tx) => {
        expect(await tx.run(breakIt), rule).toBeGreaterThan(0);
        expect((await checkLedger(tx)).filter(({ ok }) => !ok).map(({ name }) => name)).toContain(rule);
        throw undo;
      });
      await expect(found).rejects.toBe(undo);
    }
    expect(await failed()).toEqual([]);
    await server.close();
    await store.remove();
  });

  it("sets balances right from their postings", async () => {
    const store = await driver.open();
    const server = await startTestServer({ store });
    await tellStory(server);
    await store.write((tx) => tx.run("UPDATE ledger_accounts SET balance = balance - 5"));
    const repaired = await store.write(repairBalances);
    expect(repaired).toBeGreaterThan(3);
    expect((await store.read(checkLedger)).filter(({ ok }) => !ok)).toEqual([]);
    await server.close();
    await store.remove();
  });
});
