import type { Deps } from "../../app/deps.ts";
import { ApiError, conflict, invalid, notConfigured } from "../../lib/api-error.ts";
import { type Chain, ChainDown } from "./chains/index.ts";
import { chainDown, rateOf } from "./quotes.ts";
import type { ChainName } from "./rules.ts";
import * as crypto from "./store.ts";
import type { Found, Proof, Scope } from "./types.ts";

/** When a client should ask again (s). */
export const lookAgainSeconds = 10;
const maxWaiting = 20;

/**
 * Looks up a submitted transaction, before the database transaction that records it. 402 while it is not final (a job then checks it
 * again), 422 if it cannot pay anything, 503 if the node is unavailable.
 */
export async function lookUp(deps: Deps, given: Proof, scope: Scope): Promise<Found & { proof: Proof }> {
  const { chain, txHash } = transactionOn(deps, given);
  const proof = { ...given, txHash };
  await checkAsked(deps, proof, scope);
  const seen = await ask(() => chain.find(txHash));
  if (!seen && (await isElsewhere(deps, proof)))
    throw invalid("txHash", `is a transaction on another chain, not on ${given.chain}`);
  if (!seen?.final) throw await notFinal(deps, proof, seen !== undefined);
  if (seen.status === "reverted") throw invalid("txHash", "is a failed transaction that transferred nothing. Send a new one");
  return { proof, seen, rate: await rateOf(deps, proof.currency) };
}

/** The chain and the normalized hash. 503 if the chain is not configured, 422 for an invalid hash. */
export function transactionOn(deps: Deps, given: Pick<Proof, "chain" | "txHash">): { chain: Chain; txHash: string } {
  const chain = deps.chains.get(given.chain);
  if (!chain) throw notConfigured(`This server does not accept payments on ${given.chain}. Nothing was charged.`);
  const txHash = chain.normalize(given.txHash);
  if (txHash === undefined) throw invalid("txHash", `is not the hash of a transaction on ${given.chain}`);
  return { chain, txHash };
}

/** Calls a chain or the price feed. 503 if it is unavailable. */
export async function ask<T>(find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    throw error instanceof ChainDown ? chainDown(error) : error;
  }
}

/** 409 or 422 unless there is an unpaid quote for this chain and currency, or the transaction was recorded before. */
const checkAsked = (deps: Deps, proof: Proof, scope: Scope): Promise<void> =>
  deps.store.read(async (q) => {
    let other: crypto.QuoteRow | undefined;
    for (const quote of await crypto.unpaidOf(q, proof.ownerId)) {
      if (!(await scope(q, quote))) continue;
      if (quote.chain === proof.chain && quote.currency === proof.currency) return;
      other ??= quote;
    }
    // After the quotes: what another request just paid is no unpaid quote any more, but then its deposit is there.
    if ((await crypto.depositsOf(q, proof.chain, proof.txHash)).length > 0) return;
    if (other) throw invalid("X-Payment", `must be a payment of ${other.currency} on ${other.chain}, as requested`);
    throw conflict("There is no open crypto payment. Nothing was charged. Ask for payment instructions first.");
  });

/** Whether the transaction is on another chain with the same format of hashes. */
async function isElsewhere(deps: Deps, { chain, txHash }: Proof): Promise<boolean> {
  const others = deps.chains.all.filter((other) => other.name !== chain && other.normalize(txHash) !== undefined);
  const found = await Promise.all(others.map((other) => other.find(txHash).catch(() => undefined)));
  return found.some((seen) => seen !== undefined);
}

/** The 402 for a transaction that is not final. A job goes on looking for it. */
export async function notFinal(deps: Deps, proof: Proof, seen: boolean): Promise<ApiError> {
  await deps.store.write(async (tx) => {
    const now = tx.now;
    const note = { owner_id: proof.ownerId, chain: proof.chain, tx_hash: proof.txHash, created_at: now };
    if (!(await crypto.addPendingProof(tx, note, maxWaiting))) return;
    await tx.schedule({
      kind: "confirm-deposit",
      key: `${proof.ownerId}:${proof.chain}:${proof.txHash}`,
      payload: { ...proof, since: now },
      runAt: now + lookAgainSeconds * 1000,
    });
  });
  return notYet(proof.chain, seen, " The server also checks again by itself.");
}

/** The 402 for a transaction that is not final or not known to the node. */
export function notYet(chain: ChainName, seen: boolean, more = ""): ApiError {
  const why = seen ? "is not final yet" : `is not visible on ${chain} yet`;
  return new ApiError(
    "PAYMENT_REQUIRED",
    `The transaction ${why}. Do not pay again. Send its hash again in ${lookAgainSeconds} s.${more}`,
    { headers: { "Retry-After": String(lookAgainSeconds) } },
  );
}
