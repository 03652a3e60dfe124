import type { Query } from "../../database/port.ts";
import { deleteWhere, findRow, insertRow } from "../../database/rows.ts";
import type { Tables } from "../../database/schema/index.ts";

export type DetailsRow = Tables["payout_details"];

export const sealingContext = (userId: string) => `payout details ${userId}`;

export const find = (q: Query, userId: string) => findRow(q, "payout_details", { user_id: userId });

export const remove = (tx: Query, userId: string) => deleteWhere(tx, "payout_details", { user_id: userId });

export async function replace(tx: Query, details: DetailsRow): Promise<void> {
  await remove(tx, details.user_id);
  await insertRow(tx, "payout_details", details);
}
