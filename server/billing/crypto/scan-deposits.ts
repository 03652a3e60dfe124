import type { Deps } from "../../app/deps.ts";
import { type Job, RetryLater } from "../../jobs/job.ts";
import { keepUnmatched, type Prices, recordIdentified } from "./arrivals.ts";
import { type Chain, ChainDown, type SeenTransaction, type SeenTransfer } from "./chains/index.ts";
import { rateOf } from "./quotes.ts";
import type { ChainName, Currency } from "./rules.ts";
import * as crypto from "./store.ts";

const minute = 60_000;

/** How long a transaction that the node does not return is tried again without counting as a failure. */
const patienceMs = 24 * 60 * minute;

/** The maximum difference between block times and the server's clock. */
const skewMs = minute;

/**
 * Scans a chain, from the end of the last scan, for deposits that no owner submitted, so that no money is missed. Each transaction gets a
 * job of its own: one that the node cannot return does not keep the scan from the others.
 */
export async function scanDeposits(job: Job, deps: Deps): Promise<void> {
  const chain = deps.chains.get(job.payload.chain as ChainName);
  if (!chain) return;
  const { after, waiting } = await deps.store.read(async (q) => ({
    after: (await crypto.lastScan(q, chain.name))?.position ?? null,
    waiting: await crypto.waitingOn(q, chain.name),
  }));
  const now = deps.clock.now();
  const { quoteMs, reserveMs, scanMs, idleScanMs } = deps.config.crypto;
  const nativeSince = waiting.native_since === null ? null : waiting.native_since - skewMs;
  const task = { after, since: now - quoteMs - reserveMs - skewMs, nativeSince };
  const outage = `looking for crypto payments on ${chain.name}`;
  const scanned = await orLater(deps, () => chain.scan(task), outage);
  await job.endUnless(async (tx) => {
    for (const txHash of scanned.hashes) {
      const payload = { chain: chain.name, txHash, since: now };
      await tx.schedule({ kind: "book-deposit", key: `${chain.name}:${txHash}`, payload, runAt: now });
    }
    await crypto.setScanned(tx, chain.name, scanned, now);
    const wait = (await crypto.waitingOn(tx, chain.name)).count > 0 ? scanMs : idleScanMs;
    return now + (scanned.behind ? 1000 : wait);
  });
}

interface FoundOnChain {
  chain: ChainName;
  txHash: string;
  /** From when it is asked for, in ms. */
  since: number;
}

/** Records a transaction that a scan found. */
export async function bookDeposit(job: Job, deps: Deps): Promise<void> {
  const found = job.payload as unknown as FoundOnChain;
  await bookFound(deps, configured(deps, found.chain), found);
}

/** Records the transfers whose owner is known. The others wait until nobody can submit them any more. */
export async function bookFound(deps: Deps, chain: Chain, { txHash, since }: Omit<FoundOnChain, "chain">): Promise<void> {
  const seen = await finalOn(deps, chain, { txHash, since });
  if (seen.status === "reverted") return;
  const prices = await pricesOf(deps, seen.transfers);
  await deps.store.write(async (tx) => {
    const unknown = await recordIdentified(tx, { chain: chain.name, txHash, seen }, prices);
    if (unknown.length === 0) return;
    const { quoteMs, reserveMs } = deps.config.crypto;
    const runAt = Math.max(seen.at, 0) + quoteMs + reserveMs;
    const payload = { chain: chain.name, txHash, since: Math.max(runAt, tx.now) };
    await tx.schedule({ kind: "keep-deposit", key: `${chain.name}:${txHash}`, payload, runAt });
  });
}

/** Holds the transfers of a transaction in suspense that nobody submitted while they could have paid a quote. */
export async function keepDeposit(job: Job, deps: Deps): Promise<void> {
  // Earlier versions queued it without a time.
  const { chain: name, txHash, since = 0 } = job.payload as Omit<FoundOnChain, "since"> & { since?: number };
  const chain = configured(deps, name);
  const seen = await finalOn(deps, chain, { txHash, since });
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

function configured(deps: Deps, name: ChainName): Chain {
  const chain = deps.chains.get(name);
  if (chain) return chain;
  throw new RetryLater(deps.clock.now() + deps.config.crypto.idleScanMs, `${name} is no longer configured`);
}

/** Fails, so that operators see it, once the node has not returned the transaction for long. */
async function finalOn(deps: Deps, chain: Chain, { txHash, since }: Omit<FoundOnChain, "chain">): Promise<SeenTransaction> {
  const seen = await orLater(deps, () => chain.find(txHash), `reading crypto payments on ${chain.name}`);
  if (seen?.final) return seen;
  const problem = `The node does not return the final transaction ${txHash} that it listed.`;
  const now = deps.clock.now();
  if (now - since < patienceMs) throw new RetryLater(now + minute, problem);
  throw new Error(problem);
}

/** Tries work that needs a node again in a minute if that is down. `outage`: what the log is told of then. */
export async function orLater<T>(deps: Deps, work: () => Promise<T>, outage?: string): Promise<T> {
  try {
    const result = await work();
    if (outage !== undefined) deps.outages.worked(outage);
    return result;
  } catch (error) {
    if (!(error instanceof ChainDown)) throw error;
    if (outage !== undefined) deps.outages.failed(outage, error.message);
    throw new RetryLater(deps.clock.now() + minute, error.message);
  }
}
