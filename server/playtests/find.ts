import type { Query } from "../database/port.ts";
import * as games from "../games/store.ts";
import { notFound } from "../lib/api-error.ts";
import * as playtests from "./store.ts";

/** The owner's game. The same 404 whether the game does not exist or belongs to another owner. */
export async function ownGame(q: Query, gameId: string, ownerId: string): Promise<games.OrderedGame> {
  const game = await games.findForOrder(q, gameId, ownerId);
  if (!game) throw notFound();
  return game;
}

/** The owner's playtest; 404 as for a game. */
export async function ownPlaytest(q: Query, id: string, ownerId: string): Promise<playtests.PlaytestRow> {
  const playtest = await playtests.findForOwner(q, id, ownerId);
  if (!playtest) throw notFound();
  return playtest;
}
