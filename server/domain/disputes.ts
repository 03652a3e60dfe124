import { accounts, type Transfer } from "./ledger.ts";

interface Disputed {
  paymentId: string;
  ownerId: string;
  processor: string;
  cents: number;
}

/** Money taken back from credit: what the balance does not cover is a receivable, so it never goes below zero (server rules §21). */
export function creditDispute(payment: Disputed, balanceCents: number): Transfer {
  const { paymentId, ownerId, processor, cents } = payment;
  const covered = Math.min(cents, balanceCents);
  return {
    eventKey: `dispute:${paymentId}`,
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
export function creditDisputeWon(payment: Disputed, owedCents: number): Transfer {
  const { paymentId, ownerId, processor, cents } = payment;
  const settled = Math.min(cents, owedCents);
  return {
    eventKey: `dispute_won:${paymentId}`,
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
