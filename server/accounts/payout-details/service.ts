import { canonicalJson } from "../../../src/contract/text/canonical-json.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import { destinationOf, maskOf, type PayoutDetails } from "./rules.ts";
import * as store from "./store.ts";

const hour = 3_600_000;

/** When (ms) payouts to these details can be made; null when they can be now. */
export function waitsUntil({ config, now }: Pick<ReadTx, "config" | "now">, changedAt: number): number | null {
  const from = changedAt + config.payouts.detailsHoldHours * hour;
  return from > now ? from : null;
}

const isSameDestination = (one: PayoutDetails, other: PayoutDetails) =>
  canonicalJson(destinationOf(one)) === canonicalJson(destinationOf(other));

/** Stores the details. They wait again only where the money would go elsewhere than before. */
export async function save(tx: Tx, userId: string, details: PayoutDetails): Promise<store.DetailsRow> {
  const before = await store.find(tx, userId);
  const row: store.DetailsRow = {
    user_id: userId,
    method: details.method,
    sealed: tx.secrets.seal(JSON.stringify(details), store.sealingContext(userId)),
    masked: maskOf(details),
    changed_at: before && isSameDestination(open(tx, before), details) ? before.changed_at : tx.now,
  };
  await store.replace(tx, row);
  return row;
}

export const open = (deps: Pick<Deps, "secrets">, row: store.DetailsRow): PayoutDetails =>
  JSON.parse(deps.secrets.open(row.sealed, store.sealingContext(row.user_id))) as PayoutDetails;
