import type { Deps } from "../../app/deps.ts";
import { type Job, TryAgain } from "../../jobs/job.ts";
import { keepUnmatched, takeIn, worthOf } from "./arrivals.ts";
import { type Chain, ChainDown } from "./chains/index.ts";
import type { ChainName } from "./rules.ts";
import * as crypto from "./store.ts";

const minute = 60_000;

/** Blocks carry times of clocks that differ by so much. */
const skewMs = minute;

/** Looks through a chain, from where it ended last, for deposits that no owner named, and books them: no money may go unseen. */
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
  const scanned = await orLater(deps, () => chain.scan(task));
  for (const txHash of scanned.hashes) await bookFound(deps, chain, txHash);
  await deps.store.write(async (tx) => {
    await crypto.setScanned(tx, chain.name, scanned.position, now);
    const wait = (await crypto.waitingOn(tx, chain.name)).count > 0 ? scanMs : idleScanMs;
    await job.again(tx, now + (scanned.behind ? 1000 : wait));
  });
}

/** One transaction at a time, so that a scan that is cut short repeats only what it did not book. */
async function bookFound(deps: Deps, chain: Chain, txHash: string): Promise<void> {
  const seen = await finalOn(deps, chain, txHash);
  if (seen.status === "reverted") return;
  await deps.store.write(async (tx) => {
    const unknown = await takeIn(deps, tx, { chain: chain.name, txHash, seen });
    if (unknown.length === 0) return;
    const { quoteMs, reserveMs } = deps.config.crypto;
    const payload = { chain: chain.name, txHash };
    const runAt = Math.max(seen.at, 0) + quoteMs + reserveMs;
    await deps.jobs.schedule(tx, { kind: "keep-deposit", key: `${chain.name}:${txHash}`, payload, runAt });
  });
}

/** Nobody has named it while it could have paid a quote: what is left of it is kept in suspense. */
export async function keepDeposit(job: Job, deps: Deps): Promise<void> {
  const { chain: name, txHash } = job.payload as { chain: ChainName; txHash: string };
  const chain = deps.chains.get(name);
  if (!chain) throw new TryAgain(deps.clock.now() + deps.config.crypto.idleScanMs, `${name} is no longer configured`);
  const seen = await finalOn(deps, chain, txHash);
  const worth = new Map<number, number>();
  for (const transfer of seen.transfers) worth.set(transfer.index, await orLater(deps, () => worthOf(deps, transfer)));
  await deps.store.write(async (tx) => {
    const arrival = { chain: name, txHash, seen };
    for (const transfer of await takeIn(deps, tx, arrival))
      await keepUnmatched(deps, tx, arrival, transfer, worth.get(transfer.index)!);
    await job.done(tx);
  });
}

async function finalOn(deps: Deps, chain: Chain, txHash: string) {
  const seen = await orLater(deps, () => chain.find(txHash));
  if (!seen?.final) throw new TryAgain(deps.clock.now() + minute, `the node gives contradictory answers about ${txHash}`);
  return seen;
}

async function orLater<T>(deps: Deps, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ChainDown ? new TryAgain(deps.clock.now() + minute, error.message) : error;
  }
}
