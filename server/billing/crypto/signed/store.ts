import type { Query } from "../../../database/port.ts";
import { addRow, findRow, findRows, updateWhere } from "../../../database/rows.ts";
import type { New, Tables } from "../../../database/schema/index.ts";

export type SignedRow = Tables["signed_payments"];

/** What tells a signed payment from all others: the contract refuses a nonce of the payer that was used. */
export type SignedKey = Pick<SignedRow, "chain" | "asset" | "payer" | "nonce">;

export const find = (q: Query, { chain, asset, payer, nonce }: SignedKey) =>
  findRow(q, "signed_payments", { chain, asset, payer, nonce });

/** The one whose nonce a transaction used. A chain accepts one token. */
export const findSent = (q: Query, { chain, payer, nonce }: Omit<SignedKey, "asset">) =>
  findRow(q, "signed_payments", { chain, payer, nonce });

/** False when the nonce is known, or the quote has another one that may still arrive, which unique indexes decide. */
export const add = (tx: Query, row: New<"signed_payments">): Promise<boolean> => addRow(tx, "signed_payments", row);

export const byId = (q: Query, id: string) => findRow(q, "signed_payments", { id });

/** Those of which nobody said what became of them. */
export const listSettling = (q: Query) => findRows(q, "signed_payments", { status: "settling" }, "created_at", "id");

/** Notes what the facilitator said of one that it was sent. */
export const note = (
  tx: Query,
  id: string,
  changes: Pick<SignedRow, "updated_at"> & Partial<Pick<SignedRow, "tx_hash" | "error" | "status">>,
) => updateWhere(tx, "signed_payments", changes, { id, status: "settling" });

/** Its transfer was recorded, whatever was said of it before. */
export const setSettled = (tx: Query, id: string, txHash: string, now: number) =>
  updateWhere(tx, "signed_payments", { status: "settled", tx_hash: txHash, updated_at: now }, { id });
