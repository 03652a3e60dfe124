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
