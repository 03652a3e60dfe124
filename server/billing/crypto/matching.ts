import type { SeenTransfer } from "./chains/index.ts";
import type { DepositRow } from "./store.ts";

/** A transfer of a transaction, and the deposit that was booked for it. */
export interface Matched {
  transfer: SeenTransfer;
  deposit: DepositRow | undefined;
}

type Test = (deposit: DepositRow, transfer: SeenTransfer) => boolean;

const isAt: Test = ({ tx_index }, { index }) => tx_index === index;

/** Deposits from before senders were stored have none. */
const isAlike: Test = ({ currency, amount_atomic, sender }, { currency: seen, amount, from }) =>
  currency === seen && amount_atomic === String(amount) && (sender === null || sender === from);

/** From the surest to the least sure. */
const tests: readonly Test[] = [(deposit, transfer) => isAt(deposit, transfer) && isAlike(deposit, transfer), isAlike, isAt];

/**
 * The transfers of a transaction in their order, with the deposits that were booked for them. A reorganization of the chain can change the
 * index of a transfer, so among equal ones (currency, amount, sender) the order decides. A transfer without a deposit gets an index that no
 * deposit has.
 */
export function matchBooked(booked: readonly DepositRow[], seen: readonly SeenTransfer[]): Matched[] {
  const matches = new Map<SeenTransfer, DepositRow>();
  const left = new Set(booked);
  for (const isSame of tests)
    for (const deposit of left) {
      const transfer = seen.find((one) => !matches.has(one) && isSame(deposit, one));
      if (!transfer) continue;
      matches.set(transfer, deposit);
      left.delete(deposit);
    }
  let free = 1 + Math.max(...booked.map(({ tx_index }) => tx_index), ...seen.map(({ index }) => index));
  return seen.map((transfer) => {
    const deposit = matches.get(transfer);
    const isTaken = !deposit && booked.some((one) => isAt(one, transfer));
    return { transfer: isTaken ? { ...transfer, index: free++ } : transfer, deposit };
  });
}
