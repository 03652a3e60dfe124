import type { ReversalStatus } from "../../../src/contract/states/index.ts";
import { accounts, type Transfer } from "../../ledger/rules.ts";

/** An amount that was returned to a card, or that the processor paid back after that. */
export interface Reversed {
  eventKey: string;
  paymentId: string;
  ownerId: string;
  processor: string;
  cents: number;
}

/** Takes the amount from the owner's credit. What the balance does not cover becomes a receivable, so that the balance never goes below zero. */
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

/** Posts the amount of a dispute that was won. It settles the owner's receivable first; the rest is credit again. */
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

/** The status of a payment with these reversals. Each reverses a part of its amount, and `disputed` comes before `refunded`. */
export function statusAfter(
  amountCents: number,
  reversals: readonly { kind: "dispute" | "refund"; cents: number; state: ReversalStatus }[],
): "completed" | "disputed" | "refunded" {
  const taken = reversals.filter(({ state }) => state === "taken");
  if (taken.some(({ kind }) => kind === "dispute")) return "disputed";
  return takenOf(taken) >= amountCents ? "refunded" : "completed";
}

/** The cents that these reversals took in total. */
export const takenOf = (reversals: readonly { cents: number; state: ReversalStatus }[]): number =>
  reversals.reduce((sum, { cents, state }) => sum + (state === "taken" ? cents : 0), 0);
