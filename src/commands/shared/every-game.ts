import type { Context, ListRange } from "../../cli/context.ts";

interface Game {
  id: string;
  name: string;
}

/** A page without items. It ends a composed list, which would have no name without any page. */
export const lastPage = (key: string) => ({ key, items: [], data: { [key]: [] }, meta: {} });

/** The playtests of all games, game by game, each with its game's name; up to `limit` in total. */
export async function* playtestsOfAllGames(ctx: Context, { limit = Number.POSITIVE_INFINITY }: ListRange) {
  let left = limit;
  for await (const { items: games } of ctx.pages("listGames", {}, { all: true })) {
    if (left <= 0) break;
    for (const game of games as Game[]) {
      if (left <= 0) break;
      const range = Number.isFinite(left) ? { limit: left } : { all: true };
      for await (const page of ctx.pages("listPlaytests", { params: { gameId: game.id } }, range)) {
        const items = page.items.map((item) => ({ ...(item as object), gameName: game.name }));
        left -= items.length;
        yield { key: "playtests", items, data: { playtests: items }, meta: {} };
      }
    }
  }
  yield lastPage("playtests");
}
