import type { Query } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";
import type { ChainName, Currency } from "./rules.ts";

export interface SandboxTransactionRow {
  chain: ChainName;
  tx_hash: string;
  currency: Currency;
  receiver: string;
  amount_atomic: string;
  status: "success" | "reverted";
  confirmations: number;
  created_at: number;
  sender: string | null;
}

export const insertTransaction = (tx: Query, row: SandboxTransactionRow) => insertRow(tx, "sandbox_chain", row);
export const findTransaction = (q: Query, chain: ChainName, txHash: string) =>
  q.one<SandboxTransactionRow>("SELECT * FROM sandbox_chain WHERE chain = ? AND tx_hash = ?", chain, txHash);

/** Transactions to a receiver since a time (ms), oldest first. */
export const transactionsTo = (q: Query, chain: ChainName, receiver: string, since: number) =>
  q.all<SandboxTransactionRow>(
    "SELECT * FROM sandbox_chain WHERE chain = ? AND LOWER(receiver) = LOWER(?) AND created_at >= ? ORDER BY created_at, tx_hash",
    chain,
    receiver,
    since,
  );
