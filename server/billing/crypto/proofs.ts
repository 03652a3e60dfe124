import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { conflict, invalid, Problem, unavailable } from "../../lib/problem.ts";
import { ChainDown, type SeenTransaction } from "./chains/index.ts";
import { chainDown } from "./quotes.ts";
import type { ChainName, Currency } from "./rules.ts";
import * as crypto from "./store.ts";

/** A transaction somebody says they paid with. */
export interface Proof {
  ownerId: string;
  chain: ChainName;
  currency: Currency;
  txHash: string;
}

/** Whether this request may pay the caller's quote. */
export type Scope = (q: Query, quote: crypto.QuoteRow) => boolean | Promise<boolean>;

const lookAgainSeconds = 10;
const maxWaiting = 20;

/**
 * Looks a transaction up, before the database transaction that books it. Throws what keeps it from paying: 402 while it is
 * not final (and has it looked at again in the background), 422 where it cannot pay, 503 where the node cannot tell.
 */
export async function lookUp(deps: Deps, given: Proof, scope: Scope): Promise<{ proof: Proof; seen: SeenTransaction }> {
  const chain = deps.chains.get(given.chain);
  if (!chain) throw unavailable(`This server does not accept payments on ${given.chain}. Nothing was charged.`, 3600);
  const txHash = chain.normalize(given.txHash);
  if (txHash === undefined) throw invalid("txHash", `is not the hash of a transaction on ${given.chain}`);
  const proof = { ...given, txHash };
  await checkAsked(deps, proof, scope);
  const seen = await ask(() => chain.find(txHash));
  if (!seen && (await isElsewhere(deps, proof)))
    throw invalid("txHash", `is a transaction on another chain, not on ${given.chain}`);
  if (!seen?.final) throw await notFinal(deps, proof, seen !== undefined);
  if (seen.status === "reverted") throw invalid("txHash", "is a failed transaction that transferred nothing. Send a new one");
  return { proof, seen };
}

async function ask<T>(find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    throw error instanceof ChainDown ? chainDown(error) : error;
  }
}

/** There must be something to pay: a quote for this chain and currency, or a deposit that was booked before. */
const checkAsked = (deps: Deps, proof: Proof, scope: Scope): Promise<void> =>
  deps.store.read(async (q) => {
    if ((await crypto.depositsOf(q, proof.chain, proof.txHash)).length > 0) return;
    let other: crypto.QuoteRow | undefined;
    for (const quote of await crypto.unpaidOf(q, proof.ownerId)) {
      if (!(await scope(q, quote))) continue;
      if (quote.chain === proof.chain && quote.currency === proof.currency) return;
      other ??= quote;
    }
    if (other) throw invalid("X-Payment", `must be a payment of ${other.currency} on ${other.chain}, as requested`);
    throw conflict(
      "There is no open crypto payment. Nothing was charged. Request payment instructions first, without the header X-Payment.",
    );
  });

/** Chains that write hashes alike are easily mistaken for each other. */
async function isElsewhere(deps: Deps, { chain, txHash }: Proof): Promise<boolean> {
  const others = deps.chains.all.filter((other) => other.name !== chain && other.normalize(txHash) !== undefined);
  const found = await Promise.all(others.map((other) => other.find(txHash).catch(() => undefined)));
  return found.some((seen) => seen !== undefined);
}

async function notFinal(deps: Deps, proof: Proof, seen: boolean): Promise<Problem> {
  await deps.store.write(async (tx) => {
    const now = deps.clock.now();
    const note = { owner_id: proof.ownerId, chain: proof.chain, tx_hash: proof.txHash, created_at: now };
    if (!(await crypto.noteProof(tx, note, maxWaiting))) return;
    await deps.jobs.schedule(tx, {
      kind: "confirm-deposit",
      key: `${proof.ownerId}:${proof.chain}:${proof.txHash}`,
      payload: { ...proof, since: now },
      runAt: now + lookAgainSeconds * 1000,
    });
  });
  const why = seen ? "is not final yet" : `is not visible on ${proof.chain} yet`;
  return new Problem(
    "PAYMENT_REQUIRED",
    `The transaction ${why}. Do not pay again. Repeat this request in ${lookAgainSeconds} s. The server also checks again by itself.`,
    { headers: { "Retry-After": String(lookAgainSeconds) } },
  );
}
