import type { Data } from "../../../../src/contract/index.ts";
import { html, type Markup } from "../../html.ts";
import type { StudioContext } from "../types.ts";

export type Game = Data<"listGames">["games"][number];

/** How many games a form offers, besides the one that was chosen. */
const mostGames = 100;

export const orderElsewhere = "Order another one from its page.";

export interface Offered {
  games: readonly Game[];
  chosen: Game | undefined;
  /** Stands below the games where others are not among them. */
  others: Markup | false;
}

/**
 * The newest games, and the one that was chosen: it is fetched where it is not one of them. 404 for one that is not the reader's. `elsewhere`:
 * what to do for one that is not listed.
 */
export async function gamesFor({ call, form, query }: StudioContext, elsewhere: string): Promise<Offered> {
  const { data, meta } = await call("listGames", { query: { limit: mostGames } });
  const { games } = data;
  const others = meta?.hasMore === true && html`<p class="soft">Only the ${mostGames} newest games are listed. ${elsewhere}</p>`;
  const wanted = form.gameId || query.get("game");
  if (!wanted) return { games, chosen: games[0], others };
  const listed = games.find(({ id }) => id === wanted);
  if (listed) return { games, chosen: listed, others };
  const { game } = (await call("getGame", { params: { id: wanted } })).data;
  return { games: [game, ...games], chosen: game, others };
}
