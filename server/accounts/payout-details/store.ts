import type { PayoutMethod } from "../../../src/contract/accounts/payout-methods.ts";
import type { Query } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";

export interface DetailsRow {
  user_id: string;
  method: PayoutMethod;
  /** The details as JSON, sealed with the context of `sealingContext`. */
  sealed: string;
  masked: string;
  changed_at: number;
}

export const sealingContext = (userId: string) => `payout details ${userId}`;

export const find = (q: Query, userId: string) => q.one<DetailsRow>("SELECT * FROM payout_details WHERE user_id = ?", userId);

export const remove = (tx: Query, userId: string) => tx.run("DELETE FROM payout_details WHERE user_id = ?", userId);

export async function replace(tx: Query, details: DetailsRow): Promise<void> {
  await remove(tx, details.user_id);
  await insertRow(tx, "payout_details", details);
}
