import type { Context, ListRange } from "../../cli/context.ts";
import { usage } from "../../errors.ts";

interface Game {
  id: string;
  name: string;
}

interface Part {
  items: readonly unknown[];
  meta: { hasMore?: boolean };
}

type Rows = Record<string, unknown>[];

/** One of the lists that are joined: its pages, and what its items get in addition. */
export interface Source {
  pages(range: { limit: number } | { all: true }): AsyncIterable<Part>;
  also: Record<string, unknown>;
}

/**
 * Several lists as one, up to `limit` items in total. It ends with a page without items, because it would have no name without any page, and
 * has no cursor to go on from.
 */
export async function* joined(key: string, { limit, cursor }: ListRange, sources: AsyncIterable<Source>) {
  if (cursor !== undefined) throw usage("--cursor works for one list, and these are several: each has its own pages.");
  const page = (items: Rows, meta: { cursor?: null; hasMore?: boolean }) => ({ key, items, data: { [key]: items }, meta });
  let left = limit ?? Number.POSITIVE_INFINITY;
  let hasMore = false;
  for await (const { pages, also } of sources) {
    // Whether there is something in this one is not known before it is read.
    hasMore = left <= 0;
    if (hasMore) break;
    for await (const { items, meta } of pages(Number.isFinite(left) ? { limit: left } : { all: true })) {
      left -= items.length;
      hasMore = left <= 0 && meta.hasMore === true;
      yield page(
        items.map((item) => ({ ...(item as object), ...also })),
        {},
      );
    }
    if (hasMore) break;
  }
  yield page([], { cursor: null, hasMore });
}

async function* gamesOf(ctx: Context): AsyncIterable<Source> {
  for await (const { items } of ctx.pages("listGames", {}, { all: true }))
    for (const { id, name } of items as Game[])
      yield { pages: (range) => ctx.pages("listPlaytests", { params: { gameId: id } }, range), also: { gameName: name } };
}

/** The playtests of all games, game by game, each with its game's name; up to `limit` in total. */
export const playtestsOfAllGames = (ctx: Context, range: ListRange) => joined("playtests", range, gamesOf(ctx));
