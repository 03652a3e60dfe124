import type { Deps } from "../../app/deps.ts";
import type { HandlersFor } from "../../http/call.ts";
import { CommittedProblem } from "../../http/call.ts";
import { invalid, Problem } from "../../lib/problem.ts";
import { scheduleScan } from "./arrivals.ts";
import { finalConfirmations } from "./chains/sandbox.ts";
import { receive } from "./deposits.ts";
import { pairOf, proofOf } from "./headers.ts";
import { lookUp, type Scope } from "./proofs.ts";
import { offerOf, openQuote, paymentRequired } from "./quotes.ts";
import { type ChainName, isPair } from "./rules.ts";
import { insertTransaction } from "./sandbox-chain-store.ts";

const isTopUp: Scope = (_, quote) => quote.playtest_id === null;
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Credit by crypto in two steps, and the sandbox's own transactions. */
export function crypto(deps: Deps): HandlersFor<"buyCreditWithCrypto" | "createTransaction"> {
  const hashOn = (chain: ChainName) =>
    chain === "solana"
      ? [...deps.randomBytes(88)].map((byte) => base58[byte % base58.length]).join("")
      : `0x${deps.randomBytes(32).toString("hex")}`;

  return {
    async buyCreditWithCrypto(call) {
      const ownerId = call.principal.userId;
      const named = proofOf(call.headers, ownerId);
      if (named) {
        const { proof, seen } = await lookUp(deps, named, isTopUp);
        return call.commit(async (tx) => {
          const outcome = await receive(deps, tx, proof, seen, isTopUp);
          if (outcome instanceof Problem) return new CommittedProblem(outcome, 0);
          const { deposit, quote } = outcome;
          const message = "The payment was received and added to your balance.";
          return { message, paymentId: quote.payment_id, creditedCents: deposit.value_cents };
        });
      }
      const { amountCents } = call.body;
      if (amountCents === undefined) throw invalid("amountCents", "is required to get payment instructions");
      const offer = await offerOf(deps, pairOf(call.headers));
      return call.commit(async (tx) => {
        const description = "Playtest credit";
        const quote = await openQuote(deps, tx, offer, { ownerId, cents: amountCents, description });
        return new CommittedProblem(
          paymentRequired(deps, quote, { path: "/billing/credit/x402", description }),
          quote.expires_at,
        );
      });
    },

    async createTransaction(call) {
      const { chain, currency, to, amount, confirmations = finalConfirmations, status } = call.body;
      if (!isPair(chain, currency)) throw invalid("currency", `${currency} is not available on ${chain}`);
      return call.commit(async (tx) => {
        const txHash = hashOn(chain);
        const moved = { chain, currency, receiver: to, amount_atomic: String(BigInt(amount)), status };
        await scheduleScan(deps, tx, chain, deps.clock.now() + deps.config.crypto.scanMs);
        await insertTransaction(tx, { ...moved, tx_hash: txHash, confirmations, created_at: deps.clock.now() });
        return { txHash };
      });
    },
  };
}
