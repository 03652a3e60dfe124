import type { Query } from "../../database/port.ts";
import { deleteWhere, findRow, insertRow } from "../../database/rows.ts";
import type { Tables } from "../../database/schema/index.ts";
import { coverPath } from "./rules.ts";

export type CoverRow = Tables["covers"];

export async function replace(tx: Query, cover: CoverRow): Promise<void> {
  await remove(tx, cover.game_id);
  await insertRow(tx, "covers", cover);
}

export const remove = (tx: Query, gameId: string) => deleteWhere(tx, "covers", { game_id: gameId });

export const find = (q: Query, gameId: string, hash: string) => findRow(q, "covers", { game_id: gameId, hash });

/** Where the cover of a game was fetched from. */
export const sourceOf = async (q: Query, gameId: string) =>
  (await q.one<Pick<CoverRow, "url">>("SELECT url FROM covers WHERE game_id = ?", gameId))?.url;

/** The paths of the covers of these games. One that was fetched from an earlier address of the game is left out. */
export async function pathsOf(q: Query, gameIds: readonly string[]): Promise<Map<string, string>> {
  if (gameIds.length === 0) return new Map();
  const rows = await q.all<Pick<CoverRow, "game_id" | "hash">>(
    `SELECT c.game_id, c.hash FROM covers c JOIN games g ON g.id = c.game_id
      WHERE c.url = g.cover_image_url AND c.game_id IN (${gameIds.map(() => "?").join(", ")})`,
    ...gameIds,
  );
  return new Map(rows.map(({ game_id, hash }) => [game_id, coverPath(game_id, hash)]));
}
