import type { Deps } from "../../app/deps.ts";
import { type Job, TryAgain } from "../../jobs/job.ts";
import { Problem } from "../../lib/problem.ts";
import { ChainDown } from "./chains/index.ts";
import { receive } from "./deposits.ts";
import type { Proof } from "./proofs.ts";
import { forgetProof, release } from "./store.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

/** How long a transaction nobody has seen is looked for, and one that does not become final. */
const unseenMs = 2 * 60 * minute;

/** Books a transaction that was not final when its sender named it, also when nobody asks again. */
export async function confirmDeposit(job: Job, deps: Deps): Promise<void> {
  const { since, ...proof } = job.payload as unknown as Proof & { since: number };
  const waited = deps.clock.now() - since;
  const seen = await find(deps, proof, waited);
  if (!seen?.final && waited < (seen ? day : unseenMs))
    throw new TryAgain(next(deps, waited), "the transaction is not final yet");
  await deps.store.write(async (tx) => {
    if (seen?.final && seen.status === "success") await book(() => receive(deps, tx, proof, seen, () => true));
    await forgetProof(tx, proof.ownerId, proof.chain, proof.txHash);
    await job.done(tx);
  });
}

/** Sooner while a transaction is young, then every five minutes. */
const next = (deps: Deps, waited: number) => deps.clock.now() + Math.min(Math.max(waited, 15_000), 5 * minute);

async function find(deps: Deps, { chain, txHash }: Proof, waited: number) {
  try {
    return await deps.chains.get(chain)?.find(txHash);
  } catch (error) {
    if (error instanceof ChainDown) throw new TryAgain(next(deps, waited), error.message);
    throw error;
  }
}

/** A refusal without effects ends the matter: the sender was told, or is told when asking again. */
async function book(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

/** The amount of a quote that is long over may be used again. */
export async function releaseQuote(job: Job, deps: Deps): Promise<void> {
  await deps.store.write(async (tx) => {
    await release(tx, String(job.payload.quoteId));
    await job.done(tx);
  });
}
