import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { accounts, suspenseTransfer } from "../../ledger/rules.ts";
import { post } from "../../ledger/store.ts";
import type { SeenTransaction, SeenTransfer } from "./chains/index.ts";
import { applyDeposit, eventKey, suspend, weigh } from "./deposits.ts";
import { type ChainName, centsOf, judge } from "./rules.ts";
import * as crypto from "./store.ts";

/** Has a chain looked through for deposits nobody named at `runAt` (ms), or sooner if that is due already. */
export const scheduleScan = (deps: Deps, tx: Query, chain: ChainName, runAt: number) =>
  deps.jobs.schedule(tx, { kind: "scan-deposits", key: chain, payload: { chain }, runAt });

/** Every real chain is watched from the first start on, whether anybody is about to pay or not. */
export const watchChains = (deps: Deps) =>
  deps.store.write(async (tx) => {
    for (const { name } of deps.chains.all) await scheduleScan(deps, tx, name, deps.clock.now());
  });

/** A final transaction that was found by looking, not by being told. */
export interface Arrival {
  chain: ChainName;
  txHash: string;
  seen: SeenTransaction;
}

/**
 * Books every transfer that nobody named and whose amount says whose it is: as if its owner had named it, once for ever.
 * Those that fit no quote are returned, unbooked: who sent them may still name them.
 */
export async function takeIn(deps: Deps, tx: Query, arrival: Arrival): Promise<SeenTransfer[]> {
  const unknown: SeenTransfer[] = [];
  for (const transfer of await fresh(tx, arrival)) if (!(await credit(deps, tx, arrival, transfer))) unknown.push(transfer);
  return unknown;
}

/** Keeps what nobody named in time for the operator to resolve. `worth` is in cents; what is worth nothing is let be. */
export async function keepUnmatched(
  deps: Deps,
  tx: Query,
  { chain, txHash }: Arrival,
  transfer: SeenTransfer,
  worth: number,
): Promise<void> {
  if (worth < 1) return;
  await crypto.insertDeposit(tx, {
    chain,
    tx_hash: txHash,
    tx_index: transfer.index,
    currency: transfer.currency,
    receiver: transfer.to,
    amount_atomic: String(transfer.amount),
    owner_id: null,
    payment_id: null,
    value_cents: worth,
    status: "suspense",
    note: "unmatched",
    seen_at: deps.clock.now(),
  });
  const from = accounts.crypto(chain, transfer.currency);
  await post(tx, suspenseTransfer({ eventKey: eventKey({ chain, txHash }, transfer), from, cents: worth }), {
    now: deps.clock.now(),
    newId: deps.newId,
  });
  deps.log.warn({ chain, txHash, cents: worth }, "a crypto deposit matches no payment: held in suspense");
}

/** What of it is worth whole cents, by the rates of now. Throws `ChainDown` where there is none. */
export async function worthOf(deps: Deps, { currency, amount }: SeenTransfer): Promise<number> {
  return centsOf(amount, await deps.chains.rate(currency), currency);
}

async function fresh(tx: Query, { chain, txHash, seen }: Arrival): Promise<SeenTransfer[]> {
  const booked = await crypto.depositsOf(tx, chain, txHash);
  return seen.transfers.filter(({ index }) => !booked.some(({ tx_index }) => tx_index === index));
}

/** False when no quote over this very amount was there before the transfer. */
async function credit(deps: Deps, tx: Query, { chain, txHash, seen }: Arrival, transfer: SeenTransfer): Promise<boolean> {
  const { currency, to: receiver, amount } = transfer;
  const exact = (await crypto.exactly(tx, { chain, currency, receiver }, String(amount))).map(weigh);
  for (const ownerId of new Set(exact.map((quote) => quote.ownerId))) {
    const verdict = judge({ amount, at: seen.at }, ownerId, { exact, mine: [], rivals: true });
    if (!("quote" in verdict)) continue;
    const judged = { transfer, verdict };
    const proof = { ownerId, chain, currency, txHash };
    await (verdict.is === "paid" ? applyDeposit : suspend)(deps, tx, proof, judged);
    return true;
  }
  return false;
}
