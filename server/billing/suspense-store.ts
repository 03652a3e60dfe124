import { depositMoves } from "../../src/contract/states/index.ts";
import { type Page, paged } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { stateMachineOf } from "../database/state-machine.ts";
import type { DepositKey, DepositRow } from "./crypto/store.ts";

/** A deposit that is or was unmatched, with the id of the transfer that put it in suspense. */
export interface SuspenseRow extends DepositRow {
  id: string;
  created_at: number;
  /** The value in suspense, in cents. `value_cents` is the value at which it was credited in the end. */
  kept_cents: number;
  /** The owner that it was credited to. */
  credited_to: string | null;
  /** The name of the account that it belongs to, if one is known. */
  display_name: string | null;
}

/** SQL for whether a deposit is held in suspense. One worth less than a cent has that status too, but nobody can have it. */
export const isHeld = "status = 'suspense' AND value_cents > 0";

const entries = `(SELECT t.id, t.created_at, -p.amount AS kept_cents, r.owner_id AS credited_to, d.*
  FROM crypto_deposits d JOIN ledger_transfers t ON t.event_key = 'crypto:' || d.chain || ':' || d.tx_hash || ':' || CAST(d.tx_index AS TEXT)
  JOIN ledger_postings p ON p.transfer_id = t.id AND p.account_id LIKE 'liab:suspense:%'
  LEFT JOIN ledger_transfers r ON r.event_key = 'resolve:' || t.id) s LEFT JOIN users u ON u.id = COALESCE(s.credited_to, s.owner_id)`;

export const find = (q: Query, id: string) => q.one<SuspenseRow>(`SELECT s.*, u.display_name FROM ${entries} WHERE s.id = ?`, id);

/** The entry of a deposit that is or was in suspense. */
export const findByDeposit = (q: Query, { chain, tx_hash, tx_index }: DepositKey) =>
  q.one<SuspenseRow>(
    `SELECT s.*, u.display_name FROM ${entries} WHERE s.chain = ? AND s.tx_hash = ? AND s.tx_index = ?`,
    chain,
    tx_hash,
    tx_index,
  );

export const list = (q: Query, status: SuspenseRow["status"], page: Page) =>
  paged(q, page, "s").all<SuspenseRow>(`SELECT s.*, u.display_name FROM ${entries} WHERE s.status = ?`, status);

export const { isIn, transition } = stateMachineOf<SuspenseRow, typeof depositMoves>({
  noun: "deposit",
  table: "crypto_deposits",
  moves: depositMoves,
  key: ["chain", "tx_hash", "tx_index"],
});
