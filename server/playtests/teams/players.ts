import * as users from "../../accounts/users-store.ts";
import type { Query } from "../../database/port.ts";
import { find, type SlotRow } from "../slots/store.ts";
import * as store from "./store.ts";

/** Somebody who plays a slot. */
export interface Player {
  user: users.UserRow;
  /** Who claimed the slot, and decides and submits for the team; undefined for that playtester. */
  claimantName?: string;
}

/** Who plays a claimed slot: its playtester, then the others of their team; `withAsked`, also those who were asked in the place of one. */
export async function playersOf(
  q: Query,
  { id, playtester_id }: Pick<SlotRow, "id" | "playtester_id">,
  { withAsked = false } = {},
): Promise<Player[]> {
  const claimant = (await users.find(q, playtester_id!))!;
  const players: Player[] = [{ user: claimant }];
  for (const { user_id } of await store.companions(q, id, withAsked ? ["confirmed", "asked"] : ["confirmed"]))
    players.push({ user: (await users.find(q, user_id))!, claimantName: claimant.display_name });
  return players;
}

/** The names of who plays a slot, which a transcript of its video may have. None for a slot that nobody claimed. */
export async function playerNames(q: Query, slotId: string): Promise<string[]> {
  const slot = await find(q, slotId);
  return slot?.playtester_id ? (await playersOf(q, slot)).map(({ user }) => user.display_name) : [];
}
