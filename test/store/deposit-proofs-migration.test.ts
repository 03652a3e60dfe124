import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { migrate } from "../../server/database/migrate.ts";
import { insertRow } from "../helpers/raw-rows.ts";
import { drivers, openBefore, type TestStore } from "../helpers/store.ts";

const deposit = (tx_hash: string, note: string | null) => ({
  ...{
    chain: "base",
    tx_hash,
    tx_index: 0,
    currency: "USDC",
    receiver: "0x1",
    amount_atomic: "1",
    owner_id: null,
    payment_id: null,
  },
  ...{ value_cents: 0, status: "suspense", note, seen_at: 1 },
});

describe.each(drivers)("the migration of deposit proofs ($name)", (driver) => {
  let store: TestStore;
  beforeEach(async () => {
    store = await openBefore(driver, "006-deposit-proofs");
  });
  afterEach(() => store.remove());

  it("keeps deposits, with no sender and no proof, and allows the new note", async () => {
    await store.write((tx) => insertRow(tx, "crypto_deposits", deposit("a", "short")));
    await expect(store.write((tx) => insertRow(tx, "crypto_deposits", deposit("b", "over")))).rejects.toThrow(/note_check/);
    await migrate(store);
    await store.write((tx) => insertRow(tx, "crypto_deposits", deposit("b", "over")));
    await expect(store.write((tx) => insertRow(tx, "crypto_deposits", deposit("c", "odd")))).rejects.toThrow(/note_check/);
    const rows = await store.read((q) =>
      q.all("SELECT tx_hash, note, sender, rate, proof FROM crypto_deposits ORDER BY tx_hash"),
    );
    expect(rows).toEqual([
      { tx_hash: "a", note: "short", sender: null, rate: null, proof: null },
      { tx_hash: "b", note: "over", sender: null, rate: null, proof: null },
    ]);
  });
});
