import type { Tx } from "../../app/tx.ts";
import { acceptTransfers } from "../../ledger/rules.ts";
import * as ledger from "../../ledger/store.ts";
import type * as playtests from "../store.ts";
import { sharesOf } from "../teams/shares.ts";
import type * as slots from "./store.ts";
import { termsOf } from "./transitions.ts";

/** Paying the players of an accepted slot. Each function runs inside the caller's transaction. */
type Playtest = playtests.PlaytestRow;
type Slot = slots.SlotRow;

/** Credits the payout of an accepted slot to its playtester, or to the members of its team. */
export const pay = async (tx: Tx, playtest: Playtest, slot: Slot) =>
  payShares(tx, playtest, slot, await sharesFor(tx, playtest, slot));

/** What each player of a slot gets, by id. Only a playtest for several players has teams. */
export const sharesFor = async (
  tx: Tx,
  { player_count, payout_cents }: Playtest,
  slot: Slot,
): Promise<ReadonlyMap<string, number>> =>
  player_count === 1 ? new Map([[slot.playtester_id!, payout_cents]]) : sharesOf(tx, slot, payout_cents);

export const payShares = (tx: Tx, playtest: Playtest, slot: Slot, shares: ReadonlyMap<string, number>) =>
  ledger.postAll(tx, acceptTransfers(termsOf(playtest, slot), shares));
