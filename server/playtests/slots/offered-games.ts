import type { Query } from "../../database/port.ts";
import * as covers from "../../games/covers/store.ts";
import * as games from "../../games/store.ts";
import { relationsView } from "../../games/views.ts";

/** Games as playtesters see them: without their owner's side, their instructions and their build. */

const offeredGameView = (game: games.GameRow, categories: games.CategoryRow[], coverPath: string | undefined) => ({
  id: game.id,
  name: game.name,
  description: game.description,
  coverImageUrl: game.cover_image_url,
  coverPath: coverPath ?? null,
  externalUrl: game.external_url,
  ...relationsView(game, categories),
});

export async function gamesOf(q: Query, ids: readonly string[]) {
  const known = [...new Set(ids)];
  const [rows, categories, paths] = await Promise.all([
    games.findMany(q, known),
    games.categoriesOf(q, known),
    covers.pathsOf(q, known),
  ]);
  const viewOf = (row: games.GameRow) => offeredGameView(row, categories.get(row.id) ?? [], paths.get(row.id));
  return new Map(rows.map((row) => [row.id, { row, view: viewOf(row) }]));
}

/** As `gamesOf`, of a game whose row was read already. */
export async function gameOf(q: Query, row: games.GameRow) {
  const [categories, paths] = await Promise.all([
    games.categoriesOf(q, [row.id]),
    row.cover_image_url === null ? undefined : covers.pathsOf(q, [row.id]),
  ]);
  return { row, view: offeredGameView(row, categories.get(row.id) ?? [], paths?.get(row.id)) };
}
