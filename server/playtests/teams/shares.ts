import type { Query } from "../../database/port.ts";
import type { SlotRow } from "../slots/store.ts";
import * as store from "./store.ts";

/**
 * The playtesters of a slot with what each gets of its payout (cents), by id: the members of its team, or its only playtester. Where the team
 * need not be complete, whoever claimed the slot gets the shares of those who are missing.
 */
export async function sharesOf(
  q: Query,
  slot: SlotRow,
  payoutCents: number,
  { mayBeIncomplete = false } = {},
): Promise<ReadonlyMap<string, number>> {
  const members = await store.shares(q, slot.id);
  if (members.length === 0) return new Map([[slot.playtester_id!, payoutCents]]);
  const shares = new Map<string, number>(members.map(({ user_id, share_cents }) => [user_id, share_cents]));
  const sum = [...shares.values()].reduce((total, cents) => total + cents, 0);
  if (payoutCents === 0) return new Map(members.map(({ user_id }) => [user_id, 0]));
  const claimant = slot.playtester_id!;
  if (mayBeIncomplete && sum < payoutCents) return shares.set(claimant, (shares.get(claimant) ?? 0) + payoutCents - sum);
  if (sum !== payoutCents) throw new Error(`the shares of slot ${slot.id} sum to ${sum}, not ${payoutCents}`);
  return shares;
}
