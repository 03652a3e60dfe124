import type { Query } from "../../database/port.ts";
import { findRow, insertRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import type { ChainName } from "./rules.ts";

export type SandboxTransactionRow = Tables["sandbox_chain"];

export const insertTransaction = (tx: Query, row: New<"sandbox_chain">) => insertRow(tx, "sandbox_chain", row);
export const findTransaction = (q: Query, chain: ChainName, txHash: string) =>
  findRow(q, "sandbox_chain", { chain, tx_hash: txHash });

/** The transaction that used a nonce of its sender. */
export const findByNonce = (q: Query, chain: ChainName, sender: string, nonce: string) =>
  findRow(q, "sandbox_chain", { chain, sender, nonce });

/** Transactions to a receiver since a time (ms), oldest first. */
export const transactionsTo = (q: Query, chain: ChainName, receiver: string, since: number) =>
  q.all<SandboxTransactionRow>(
    "SELECT * FROM sandbox_chain WHERE chain = ? AND LOWER(receiver) = LOWER(?) AND created_at >= ? ORDER BY created_at, tx_hash",
    chain,
    receiver,
    since,
  );
