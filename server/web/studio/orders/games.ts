import type { Data } from "../../../../src/contract/index.ts";
import type { StudioContext } from "../types.ts";

export type Game = Data<"listGames">["games"][number];

/** How many games a form to order offers, besides the one that was chosen. */
const mostGames = 100;

/** The newest games, and the one that was chosen: it is fetched where it is not one of them. 404 for one that is not the reader's. */
export async function gamesFor({
  call,
  form,
  query,
}: StudioContext): Promise<{ games: readonly Game[]; chosen: Game | undefined }> {
  const { games } = (await call("listGames", { query: { limit: mostGames } })).data;
  const wanted = form.gameId || query.get("game");
  if (!wanted) return { games, chosen: games[0] };
  const listed = games.find(({ id }) => id === wanted);
  if (listed) return { games, chosen: listed };
  const { game } = (await call("getGame", { params: { id: wanted } })).data;
  return { games: [game, ...games], chosen: game };
}
