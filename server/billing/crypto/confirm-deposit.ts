import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { type Job, RetryLater } from "../../jobs/job.ts";
import { ApiError } from "../../lib/api-error.ts";
import { ChainDown } from "./chains/index.ts";
import { receive } from "./deposits.ts";
import { rateOf } from "./quotes.ts";
import { find, lastScan, type QuoteRow, release, removePendingProof } from "./store.ts";
import type { Proof } from "./types.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

/** How long to wait for a transaction that the node does not know. One that is known but not final is waited for up to a day. */
const unseenMs = 2 * 60 * minute;

/** Records a transaction that was not final when it was submitted, even if the client never repeats the request. */
export async function confirmDeposit(job: Job, deps: Deps): Promise<void> {
  const { since, ...proof } = job.payload as unknown as Proof & { since: number };
  const waited = deps.clock.now() - since;
  const seen = await look(deps, proof, waited);
  if (!seen?.final && waited < (seen ? day : unseenMs))
    throw new RetryLater(next(deps, waited), "the transaction is not final yet");
  const rate = await rateOf(deps, proof.currency);
  if (rate === undefined) throw new RetryLater(next(deps, waited), `the price of ${proof.currency} is not available`);
  await deps.store.write(async (tx) => {
    if (seen?.final && seen.status === "success") await book(() => receive(tx, proof, { seen, rate }, () => true));
    await removePendingProof(tx, proof.ownerId, proof.chain, proof.txHash);
    await job.done(tx);
  });
}

/** The time of the next check: in 15 seconds at first, later in up to five minutes. */
const next = (deps: Deps, waited: number) => deps.clock.now() + Math.min(Math.max(waited, 15_000), 5 * minute);

async function look(deps: Deps, { chain, txHash }: Proof, waited: number) {
  try {
    return await deps.chains.get(chain)?.find(txHash);
  } catch (error) {
    if (error instanceof ChainDown) throw new RetryLater(next(deps, waited), error.message);
    throw error;
  }
}

/** Ignores problems: the client gets the same problem when it repeats the request. */
async function book(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Makes the amount of an expired quote available to other quotes again. */
export async function releaseQuote(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.quoteId);
  const { reserveMs, scanMs } = deps.config.crypto;
  await deps.store.write(async (tx) => {
    const quote = await find(tx, id);
    if (quote && deps.chains.get(quote.chain) && (await isSought(tx, quote, quote.expires_at + reserveMs)))
      return job.reschedule(tx, tx.now + scanMs);
    await release(tx, id);
    await job.done(tx);
  });
}

/** Coins are looked for only while a quote in them is reserved, so it stays so until a scan has passed its time (ms), however late. */
async function isSought(q: Query, { currency, paid, chain }: QuoteRow, until: number): Promise<boolean> {
  if (currency === "USDC" || paid === 1) return false;
  const scan = await lastScan(q, chain);
  return scan === undefined || scan.scanned_at < until;
}
