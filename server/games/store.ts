import { gameMoves } from "../../src/contract/states/index.ts";
import type { Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { countRows, deleteWhere, findRow, findRows, insertRow, listRows, updateRow } from "../database/rows.ts";
import type { New, Tables } from "../database/schema/index.ts";
import { stateMachine } from "../database/state-machine.ts";

export type GameRow = Tables["games"];

export type CategoryRow = Tables["categories"];

export type BuildRow = Tables["builds"];

export const find = (q: Query, id: string) => findRow(q, "games", { id });

/** The game with this id. Undefined when it does not exist, or when it or its owner is suspended. */
export const findOffered = (q: Query, id: string) =>
  q.one<GameRow>(
    "SELECT g.* FROM games g JOIN users u ON u.id = g.owner_id WHERE g.id = ? AND g.status = 'active' AND u.suspended_at IS NULL",
    id,
  );

/** The owner's game with this id. Undefined when it does not exist or belongs to somebody else. */
export const findForOwner = (q: Query, id: string, ownerId: string) => findRow(q, "games", { id, owner_id: ownerId });

/** What an order needs of its game. */
export type OrderedGame = Pick<GameRow, "id" | "owner_id" | "status">;

/** Every order reads it: not the descriptions, which may be long. */
export const findForOrder = (q: Query, id: string, ownerId: string) =>
  q.one<OrderedGame>("SELECT id, owner_id, status FROM games WHERE id = ? AND owner_id = ?", id, ownerId);

export const listForOwner = (q: Query, ownerId: string, page: Page) => listRows(q, "games", page, { owner_id: ownerId });

export const countForOwner = (q: Query, ownerId: string) => countRows(q, "games", { owner_id: ownerId });

export const insert = (tx: Query, game: New<"games">) => insertRow(tx, "games", game);

export const update = (tx: Query, id: string, changes: Partial<Omit<GameRow, "status">>) => updateRow(tx, "games", id, changes);

/** Whether a playtest of the game is active. */
export const isPlaytested = async (q: Query, gameId: string): Promise<boolean> =>
  (await q.one("SELECT id FROM playtests WHERE game_id = ? AND status = 'active' LIMIT 1", gameId)) !== undefined;

export const { transitionFromAny } = stateMachine({ noun: "game", table: "games", moves: gameMoves });

export async function setCategories(tx: Query, gameId: string, categoryIds: readonly string[]): Promise<void> {
  await deleteWhere(tx, "game_categories", { game_id: gameId });
  for (const id of categoryIds) await tx.run("INSERT INTO game_categories (game_id, category_id) VALUES (?, ?)", gameId, id);
}

const marks = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** The categories of each game, sorted by name. */
export async function categoriesOf(q: Query, gameIds: readonly string[]): Promise<Map<string, CategoryRow[]>> {
  const found = new Map<string, CategoryRow[]>(gameIds.map((id) => [id, []]));
  if (gameIds.length === 0) return found;
  const rows = await q.all<CategoryRow & { game_id: string }>(
    `SELECT gc.game_id, c.id, c.name, c.slug FROM game_categories gc JOIN categories c ON c.id = gc.category_id
      WHERE gc.game_id IN (${marks(gameIds)}) ORDER BY c.name`,
    ...gameIds,
  );
  for (const { game_id, id, name, slug } of rows) found.get(game_id)?.push({ id, name, slug });
  return found;
}

export const allCategories = (q: Query) => q.all<CategoryRow>("SELECT id, name, slug FROM categories ORDER BY name");
export const insertCategory = (tx: Query, row: New<"categories">) => insertRow(tx, "categories", row);

export const listBuilds = (q: Query, gameId: string, page: Page) => listRows(q, "builds", page, { game_id: gameId });

export const findBuild = (q: Query, gameId: string, buildId: string) => findRow(q, "builds", { id: buildId, game_id: gameId });

/** The newest build of a game that was there at a time (ms). */
export const newestBuildAt = (q: Query, gameId: string, at: number) =>
  q.one<BuildRow>(
    "SELECT * FROM builds WHERE game_id = ? AND created_at <= ? ORDER BY created_at DESC, id DESC LIMIT 1",
    gameId,
    at,
  );

/** The newest build of a game at this address, if the server stores its file. */
export const findStoredBuild = (q: Query, gameId: string, buildUrl: string) =>
  q.one<BuildRow>(
    "SELECT * FROM builds WHERE game_id = ? AND build_url = ? AND blob_key IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT 1",
    gameId,
    buildUrl,
  );

export const insertBuild = (tx: Query, build: New<"builds">) => insertRow(tx, "builds", build);

export const findMany = async (q: Query, ids: readonly string[]) =>
  ids.length === 0 ? [] : findRows(q, "games", { id: ids }, "id");
