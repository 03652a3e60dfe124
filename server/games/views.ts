import type { Device, Platform } from "../../src/contract/games.ts";
import { perRow } from "../database/rows.ts";
import { iso } from "../lib/time.ts";
import type { BuildRow, CategoryRow, GameRow } from "./store.ts";

/** Converts rows to the objects of the contract. Lists each field, so that a new column is never sent by accident. */
export const gameView = perRow((game: GameRow) => ({
  id: game.id,
  ownerId: game.owner_id,
  name: game.name,
  description: game.description,
  instructions: game.instructions,
  buildUrl: game.build_url,
  coverImageUrl: game.cover_image_url,
  externalUrl: game.external_url,
  status: game.status,
  createdAt: iso(game.created_at),
  updatedAt: iso(game.updated_at),
}));

const playedOn = perRow((game: GameRow) => ({
  devices: JSON.parse(game.devices) as Device[],
  platforms: JSON.parse(game.platforms) as Platform[],
  languages: JSON.parse(game.languages) as string[],
}));

const categoryViews = (categories: readonly CategoryRow[]) => categories.map(({ id, name, slug }) => ({ id, name, slug }));

export const relationsView = (game: GameRow, categories: CategoryRow[]) => ({
  categories: categoryViews(categories),
  ...playedOn(game),
});

const withoutCategories = perRow((game: GameRow) => ({ ...gameView(game), ...relationsView(game, []) }));

/** One copy of one object, which is several times as fast as putting two together: owners and scripts read games most often. */
export const fullGameView = (game: GameRow, categories: CategoryRow[]) => ({
  ...withoutCategories(game),
  categories: categoryViews(categories),
});

export const buildView = (build: BuildRow) => ({
  id: build.id,
  gameId: build.game_id,
  buildUrl: build.build_url,
  createdAt: iso(build.created_at),
  filename: build.filename,
  size: build.size,
  sha256: build.sha256,
  contentSha256: build.content_sha256,
  version: build.version,
  channel: build.channel,
  notes: build.notes,
});
