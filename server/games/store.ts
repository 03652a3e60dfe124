import { type GameStatus, gameMoves } from "../../src/contract/states/index.ts";
import { keyset, type Page } from "../database/keyset.ts";
import type { Query } from "../database/port.ts";
import { insertRow, updateRow } from "../database/rows.ts";
import { stateMachine } from "../database/state-machine.ts";

export interface GameRow {
  id: string;
  owner_id: string;
  name: string;
  description: string | null;
  instructions: string | null;
  build_url: string;
  build_id: string | null;
  cover_image_url: string | null;
  external_url: string | null;
  status: GameStatus;
  devices: string;
  platforms: string;
  /** A JSON list of language tags. */
  languages: string;
  created_at: number;
  updated_at: number;
}

export interface CategoryRow {
  id: string;
  name: string;
  slug: string;
}

export interface BuildRow {
  id: string;
  game_id: string;
  build_url: string;
  blob_key: string | null;
  filename: string | null;
  size: number | null;
  sha256: string | null;
  /** SHA-256 of the build's files, independent of the archive format. Computed by the client that uploaded it and not verified. */
  content_sha256: string | null;
  version: string | null;
  channel: string | null;
  notes: string | null;
  created_at: number;
}

export const find = (q: Query, id: string) => q.one<GameRow>("SELECT * FROM games WHERE id = ?", id);

/** The game with this id. Undefined when it does not exist, or when it or its owner is suspended. */
export const findOffered = (q: Query, id: string) =>
  q.one<GameRow>(
    "SELECT g.* FROM games g JOIN users u ON u.id = g.owner_id WHERE g.id = ? AND g.status = 'active' AND u.suspended_at IS NULL",
    id,
  );

/** The owner's game with this id. Undefined when it does not exist or belongs to somebody else. */
export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<GameRow>("SELECT * FROM games WHERE id = ? AND owner_id = ?", id, ownerId);

/** What an order needs of its game. */
export type OrderedGame = Pick<GameRow, "id" | "owner_id" | "status">;

/** Every order reads it: not the descriptions, which may be long. */
export const findForOrder = (q: Query, id: string, ownerId: string) =>
  q.one<OrderedGame>("SELECT id, owner_id, status FROM games WHERE id = ? AND owner_id = ?", id, ownerId);

export function listForOwner(q: Query, ownerId: string, page: Page) {
  const { sql, values } = keyset(page, "g");
  return q.all<GameRow>(`SELECT g.* FROM games g WHERE g.owner_id = ? ${sql}`, ownerId, ...values);
}

export const countForOwner = async (q: Query, ownerId: string) =>
  (await q.one<{ count: number }>("SELECT COUNT(*) AS count FROM games WHERE owner_id = ?", ownerId))!.count;

export const insert = (tx: Query, game: GameRow) => insertRow(tx, "games", game);

export const update = (tx: Query, id: string, changes: Partial<Omit<GameRow, "status">>) => updateRow(tx, "games", id, changes);

/** Whether a playtest of the game is active. */
export const isPlaytested = async (q: Query, gameId: string): Promise<boolean> =>
  (await q.one("SELECT id FROM playtests WHERE game_id = ? AND status = 'active' LIMIT 1", gameId)) !== undefined;

export const { transitionFromAny } = stateMachine<GameRow, typeof gameMoves>({ noun: "game", table: "games", moves: gameMoves });

export async function setCategories(tx: Query, gameId: string, categoryIds: readonly string[]): Promise<void> {
  await tx.run("DELETE FROM game_categories WHERE game_id = ?", gameId);
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
export const insertCategory = (tx: Query, row: CategoryRow) => insertRow(tx, "categories", row);

export function listBuilds(q: Query, gameId: string, page: Page) {
  const { sql, values } = keyset(page, "b");
  return q.all<BuildRow>(`SELECT b.* FROM builds b WHERE b.game_id = ? ${sql}`, gameId, ...values);
}

export const findBuild = (q: Query, gameId: string, buildId: string) =>
  q.one<BuildRow>("SELECT * FROM builds WHERE id = ? AND game_id = ?", buildId, gameId);

export const insertBuild = (tx: Query, build: BuildRow) => insertRow(tx, "builds", build);

export const findMany = async (q: Query, ids: readonly string[]) =>
  ids.length === 0 ? [] : q.all<GameRow>(`SELECT * FROM games WHERE id IN (${marks(ids)})`, ...ids);
