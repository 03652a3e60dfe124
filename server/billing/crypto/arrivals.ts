import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import type { SeenTransfer } from "./chains/index.ts";
import { applyDeposit, judgeUnnamed, suspend } from "./deposits.ts";
import { hold } from "./hold.ts";
import { matchBooked } from "./matching.ts";
import { type Currency, centsOf } from "./rules.ts";
import * as crypto from "./store.ts";
import type { Arrival } from "./types.ts";

/** The current price of each currency, in cents per whole coin. Unavailable prices are missing. */
export type Prices = ReadonlyMap<Currency, number>;

/**
 * Records the transfers whose owner is known by the exact amount or the declared sender, as if that owner had submitted them. Each
 * transfer is recorded only once. Returns the others, which are not recorded: their senders may still submit them.
 */
export async function recordIdentified(tx: Tx, arrival: Arrival, prices: Prices): Promise<SeenTransfer[]> {
  const unknown: SeenTransfer[] = [];
  for (const transfer of await fresh(tx, arrival)) if (!(await credit(tx, arrival, transfer, prices))) unknown.push(transfer);
  return unknown;
}

/** Holds a transfer that nobody submitted in suspense. `rate` is in cents per whole coin. Ignores transfers worth less than a cent. */
export async function keepUnmatched(
  deps: Deps,
  tx: Tx,
  { chain, txHash }: Arrival,
  transfer: SeenTransfer,
  rate: number,
): Promise<void> {
  const cents = centsOf(transfer.amount, rate, transfer.currency);
  if (cents < 1) return;
  await hold(tx, { chain, tx_hash: txHash, transfer, cents, rate, note: "unmatched", owner_id: null, payment_id: null });
  deps.log.warn({ chain, txHash, cents }, "a crypto deposit matches no payment: held in suspense");
}

async function fresh(tx: Query, { chain, txHash, seen }: Arrival): Promise<SeenTransfer[]> {
  const booked = await crypto.depositsOf(tx, chain, txHash);
  return matchBooked(booked, seen.transfers).flatMap(({ transfer, deposit }) => (deposit ? [] : transfer));
}

/** Records a transfer if its owner is known. False if not, or if the amount is not exactly as quoted and no price is available. */
async function credit(tx: Tx, arrival: Arrival, transfer: SeenTransfer, prices: Prices): Promise<boolean> {
  const found = await judgeUnnamed(tx, arrival.chain, transfer, arrival.seen.at);
  if (!found) return false;
  const { verdict } = found;
  const rate = prices.get(transfer.currency);
  const isExact = verdict.is === "paid" && verdict.quote.atomic === transfer.amount;
  if (rate === undefined && !isExact) return false;
  await (verdict.is === "paid" ? applyDeposit : suspend)(tx, arrival, { ...found, rate });
  return true;
}
