import type { ReadTx, Tx } from "../../app/tx.ts";
import { accounts, suspenseTransfer } from "../../ledger/rules.ts";
import { post } from "../../ledger/store.ts";
import type { SeenTransfer } from "./chains/index.ts";
import * as crypto from "./store.ts";

/** A transfer to hold in suspense. `note` is the reason, `cents` its value, and `rate` the price of what has no locked rate. */
export interface Holding extends Pick<crypto.DepositRow, "chain" | "tx_hash" | "note" | "owner_id" | "payment_id" | "rate"> {
  transfer: SeenTransfer;
  cents: number;
}

/** The unique key of the ledger transfer of a deposit, so that it is posted only once. */
export const eventKey = (chain: string, txHash: string, index: number) => `crypto:${chain}:${txHash}:${index}`;

/** Holds a transfer in suspense until somebody proves to have sent it or the operator decides. */
export async function hold(tx: Tx, { transfer, cents, ...rest }: Holding): Promise<crypto.DepositRow> {
  const about = { ...depositOf(tx, transfer), value_cents: cents, status: "suspense" } as const;
  const deposit = await crypto.insertDeposit(tx, { ...rest, ...about });
  if (cents > 0) {
    const refs = {
      ...(rest.owner_id !== null && { ownerId: rest.owner_id }),
      ...(rest.payment_id !== null && { paymentId: rest.payment_id }),
    };
    const from = accounts.crypto(rest.chain, transfer.currency);
    const key = eventKey(rest.chain, rest.tx_hash, transfer.index);
    await post(tx, suspenseTransfer({ eventKey: key, from, cents, ...refs }));
  }
  return deposit;
}

/** The columns of a deposit that come from its transfer. */
export const depositOf = (tx: ReadTx, { index, currency, to, amount, from }: SeenTransfer) => ({
  tx_index: index,
  currency,
  receiver: to,
  amount_atomic: String(amount),
  sender: from,
  seen_at: tx.now,
});
