import { plural } from "../../../src/contract/text/plural.ts";
import type { Context } from "../../app/tx.ts";
import type { Config } from "../../config/schema.ts";
import type { Query } from "../../database/port.ts";
import { conflict } from "../../lib/api-error.ts";
import type { PlaytestRow, Reader } from "../store.ts";
import * as store from "./store.ts";

type Wanted = Pick<PlaytestRow, "player_count" | "selection_mode">;
type Settings = Pick<Config, "multiplayer">;

/** Whether a claim of this playtest names friends: the server has them do so, there are several players, and nobody chooses. */
export const needsTeam = ({ multiplayer }: Settings, { player_count, selection_mode }: Wanted) =>
  multiplayer.friends && player_count > 1 && selection_mode === "automatic";

/** Whom playtests are offered to. Where claims name friends, only to those who have some that can play. */
export const readerOf = ({ config: { multiplayer, playtesters } }: Pick<Context, "config">, id: string, now: number): Reader => ({
  id,
  now,
  maxHeld: multiplayer.friends ? playtesters.maxReserved : undefined,
});

/** 409 for a claim without friends of a playtest that needs some. */
export function requireNoTeam(config: Settings, playtest: Wanted): void {
  if (!needsTeam(config, playtest)) return;
  const others = plural(playtest.player_count - 1, "friend");
  throw conflict(
    `This playtest is for ${playtest.player_count} players. Nothing was claimed. Name ${others} who will play with you.`,
  );
}

/** 409 when a member of the slot's team is missing: the owner ordered so many players. `remedy` says to the caller what to do. */
export async function requireFullTeam(
  q: Query,
  playtest: PlaytestRow,
  slotId: string,
  remedy = "Ask another friend, and submit when they have confirmed.",
): Promise<void> {
  if (playtest.player_count === 1) return;
  const members = await store.shares(q, slotId);
  if (members.length === 0 || members.length === playtest.player_count) return;
  throw conflict(
    `The team of this slot has ${members.length} of ${playtest.player_count} players. Nothing was submitted. ${remedy}`,
  );
}
