import type { Deps } from "../../app/deps.ts";
import { type Job, RetryLater } from "../../jobs/job.ts";
import { keepUnmatched, type Prices, recordIdentified } from "./arrivals.ts";
import { type Chain, ChainDown, type SeenTransfer } from "./chains/index.ts";
import { rateOf } from "./quotes.ts";
import type { ChainName, Currency } from "./rules.ts";
import * as crypto from "./store.ts";

const minute = 60_000;

/** The maximum difference between block times and the server's clock. */
const skewMs = minute;

/** Scans a chain, from the end of the last scan, for deposits that no owner submitted, and records them, so that no money is missed. */
export async function scanDeposits(job: Job, deps: Deps): Promise<void> {
  const chain = deps.chains.get(job.payload.chain as ChainName);
  if (!chain) return;
  const { after, waiting } = await deps.store.read(async (q) => ({
    after: await crypto.scannedTo(q, chain.name),
    waiting: await crypto.waitingOn(q, chain.name),
  }));
  const now = deps.clock.now();
  const { quoteMs, reserveMs, scanMs, idleScanMs } = deps.config.crypto;
  const nativeSince = waiting.native_since === null ? null : waiting.native_since - skewMs;
  const task = { after, since: now - quoteMs - reserveMs - skewMs, nativeSince };
  const outage = `looking for crypto payments on ${chain.name}`;
  const scanned = await orLater(deps, () => chain.scan(task), outage);
  deps.outages.worked(outage);
  for (const txHash of scanned.hashes) await bookFound(deps, chain, txHash);
  await job.endUnless(async (tx) => {
    await crypto.setScanned(tx, chain.name, scanned.position, now);
    const wait = (await crypto.waitingOn(tx, chain.name)).count > 0 ? scanMs : idleScanMs;
    return now + (scanned.behind ? 1000 : wait);
  });
}

/** Records one transaction at a time, so that a scan that is interrupted repeats only the rest. */
export async function bookFound(deps: Deps, chain: Chain, txHash: string): Promise<void> {
  const seen = await finalOn(deps, chain, txHash);
  if (seen.status === "reverted") return;
  const prices = await pricesOf(deps, seen.transfers);
  await deps.store.write(async (tx) => {
    const unknown = await recordIdentified(tx, { chain: chain.name, txHash, seen }, prices);
    if (unknown.length === 0) return;
    const { quoteMs, reserveMs } = deps.config.crypto;
    const payload = { chain: chain.name, txHash };
    const runAt = Math.max(seen.at, 0) + quoteMs + reserveMs;
    await tx.schedule({ kind: "keep-deposit", key: `${chain.name}:${txHash}`, payload, runAt });
  });
}

/** Holds the transfers of a transaction in suspense that nobody submitted while they could have paid a quote. */
export async function keepDeposit(job: Job, deps: Deps): Promise<void> {
  const { chain: name, txHash } = job.payload as { chain: ChainName; txHash: string };
  const chain = deps.chains.get(name);
  if (!chain) throw new RetryLater(deps.clock.now() + deps.config.crypto.idleScanMs, `${name} is no longer configured`);
  const seen = await finalOn(deps, chain, txHash);
  const prices = new Map<Currency, number>();
  for (const { currency } of seen.transfers) prices.set(currency, await orLater(deps, () => deps.chains.rate(currency)));
  await deps.store.write(async (tx) => {
    const arrival = { chain: name, txHash, seen };
    for (const transfer of await recordIdentified(tx, arrival, prices))
      await keepUnmatched(deps, tx, arrival, transfer, prices.get(transfer.currency)!);
    await job.done(tx);
  });
}

/** The prices that are available. An amount that is exactly as quoted needs none. */
async function pricesOf(deps: Deps, transfers: readonly SeenTransfer[]): Promise<Prices> {
  const prices = new Map<Currency, number>();
  for (const { currency } of transfers) {
    const rate = await rateOf(deps, currency);
    if (rate !== undefined) prices.set(currency, rate);
  }
  return prices;
}

async function finalOn(deps: Deps, chain: Chain, txHash: string) {
  const seen = await orLater(deps, () => chain.find(txHash));
  if (!seen?.final) throw new RetryLater(deps.clock.now() + minute, `the node gives contradictory answers about ${txHash}`);
  return seen;
}

/** `outage`: what the log is told of that failed. */
export async function orLater<T>(deps: Deps, work: () => Promise<T>, outage?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChainDown)) throw error;
    if (outage !== undefined) deps.outages.failed(outage, error.message);
    throw new RetryLater(deps.clock.now() + minute, error.message);
  }
}
