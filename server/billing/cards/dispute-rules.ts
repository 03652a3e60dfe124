import type { ReversalStatus } from "../../../src/contract/states/index.ts";
import { accounts, type Transfer } from "../../ledger/rules.ts";

/** Money that went back to a card, or came back from there. */
export interface Reversed {
  eventKey: string;
  paymentId: string;
  ownerId: string;
  processor: string;
  cents: number;
}

/** Money taken back from credit: what the balance does not cover is a receivable, so it never goes below zero. */
export function creditTaken(reversed: Reversed, balanceCents: number): Transfer {
  const { eventKey, paymentId, ownerId, processor, cents } = reversed;
  const covered = Math.min(cents, balanceCents);
  return {
    eventKey,
    asset: "USD",
    ownerId,
    paymentId,
    postings: [
      { account: accounts.credit(ownerId), amount: covered },
      { account: accounts.receivable(ownerId), amount: cents - covered },
      { account: accounts.processor(processor), amount: -cents },
    ],
  };
}

/** A dispute decided for us: the money is back, and settles what is still owed before it is credit again. */
export function creditReturned(reversed: Reversed, owedCents: number): Transfer {
  const { eventKey, paymentId, ownerId, processor, cents } = reversed;
  const settled = Math.min(cents, owedCents);
  return {
    eventKey,
    asset: "USD",
    ownerId,
    paymentId,
    postings: [
      { account: accounts.processor(processor), amount: cents },
      { account: accounts.receivable(ownerId), amount: -settled },
      { account: accounts.credit(ownerId), amount: settled - cents },
    ],
  };
}

/** What a payment is, after these reversals of it: each takes part of its amount, and a dispute shows before a refund. */
export function statusAfter(
  amountCents: number,
  reversals: readonly { kind: "dispute" | "refund"; cents: number; state: ReversalStatus }[],
): "completed" | "disputed" | "refunded" {
  const taken = reversals.filter(({ state }) => state === "taken");
  if (taken.some(({ kind }) => kind === "dispute")) return "disputed";
  return takenOf(taken) >= amountCents ? "refunded" : "completed";
}

export const takenOf = (reversals: readonly { cents: number; state: ReversalStatus }[]): number =>
  reversals.reduce((sum, { cents, state }) => sum + (state === "taken" ? cents : 0), 0);
