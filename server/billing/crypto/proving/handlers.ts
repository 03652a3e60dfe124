import type { Handlers } from "../../../http/call.ts";
import { CommittedError } from "../../../http/call.ts";
import { ApiError, invalid } from "../../../lib/api-error.ts";
import { late } from "../../../lib/late.ts";
import { prove, subjectOf } from "./prove.ts";

const loadSignatures = late(() => import("../signatures/index.ts"));

/** Proofs of who sent a deposit that was late, of the wrong amount, or never submitted. */
export const depositProofs = {
  async getProofMessage(call) {
    const { txHash, chain } = call.query;
    const subject = await subjectOf(call.deps, { ownerId: call.principal.userId, paymentId: call.params.id, chain, txHash });
    const scheme = subject.chain === "solana" ? ("ed25519" as const) : ("eip191" as const);
    const { message, senders: addresses } = subject;
    return { proof: { message, scheme, chain: subject.chain, txHash: subject.txHash, addresses } };
  },

  async proveDeposit(call) {
    const { txHash, chain, signature } = call.body;
    const subject = await subjectOf(call.deps, { ownerId: call.principal.userId, paymentId: call.params.id, chain, txHash });
    const { message, senders: addresses } = subject;
    const { findSigner } = await loadSignatures();
    const sender = findSigner(subject.chain, { message, signature, addresses });
    if (sender === undefined)
      throw invalid(
        "signature",
        `is not a signature of this deposit's message by ${addresses.join(" or ")}, which sent it. Sign the message unchanged, with that address`,
      );
    return call.commit(async (tx) => {
      const outcome = await prove(tx, subject, { sender, signature });
      if (outcome instanceof ApiError) return new CommittedError(outcome, 0);
      const creditedCents = outcome.reduce((sum, { cents }) => sum + cents, 0);
      const paysOrder = outcome.some(({ quote }) => quote?.playtest_id);
      const message = `The deposit was ${paysOrder ? "credited and paid your order" : "credited to your account"}.`;
      return { message, paymentId: outcome[0]!.paymentId, creditedCents };
    });
  },
} satisfies Partial<Handlers>;
