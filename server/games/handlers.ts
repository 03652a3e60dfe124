import { pages } from "../../src/contract/pages/addresses.ts";
import type { Tx } from "../app/tx.ts";
import type { Query } from "../database/port.ts";
import type { Handlers } from "../http/call.ts";
import { conflict, invalid, notFound } from "../lib/api-error.ts";
import { queueIndexing } from "../search/queue.ts";
import { scheduleCover } from "./covers/fetch-cover.ts";
import * as covers from "./covers/store.ts";
import { requireMayReplaceBuild } from "./playtested.ts";
import * as gameStore from "./store.ts";
import { buildView, fullGameView, gameView } from "./views.ts";

/** 422 that names the first tag that is not the id of a category. */
async function checkTags(q: Query, tags: readonly string[] | undefined): Promise<void> {
  if (!tags || tags.length === 0) return;
  const known = new Set((await gameStore.allCategories(q)).map((category) => category.id));
  const at = tags.findIndex((tag) => !known.has(tag));
  if (at >= 0) throw invalid(`tags.${at}`, "must be the id of a category. List them with GET /api/v1/info/categories");
}

/**
 * Adds the build at an address. At that of a build which this server stores, it is that build once more. Returns its id, for the game, if
 * the server stores it. 422 for the address of a build of another game.
 */
async function addBuild(tx: Tx, gameId: string, buildUrl: string): Promise<string | null> {
  const about = { id: tx.newId(), game_id: gameId, created_at: tx.now };
  const stored = await gameStore.findStoredBuild(tx, gameId, buildUrl);
  const { baseUrl } = tx.config;
  if (!stored && buildUrl.startsWith(`${baseUrl}/builds/`) && buildUrl !== baseUrl + pages.noBuild())
    throw invalid("buildUrl", "must not be a build of another game on this server. Upload the build to this game instead");
  await gameStore.insertBuild(tx, stored ? { ...stored, ...about } : { ...about, build_url: buildUrl });
  return stored ? about.id : null;
}

export const games = {
  async listGames(call) {
    const page = call.page();
    const { rows, categories } = await call.read(async (q) => {
      const found = await gameStore.listForOwner(q, call.principal.userId, page);
      return {
        rows: found,
        categories: await gameStore.categoriesOf(
          q,
          found.map((row) => row.id),
        ),
      };
    });
    return call.listed(page, rows, (items) => ({ games: items.map((row) => fullGameView(row, categories.get(row.id) ?? [])) }));
  },

  createGame: (call) =>
    call.commit(async (tx) => {
      const { tags, devices, platforms, languages, ...fields } = call.body;
      await checkTags(tx, tags);
      const most = tx.config.games.maxPerAccount;
      if ((await gameStore.countForOwner(tx, call.principal.userId)) >= most)
        throw conflict(
          `An account can have at most ${most} games. Nothing was created. Ask the operator of this server for more.`,
        );
      const now = tx.now;
      const row = await gameStore.insert(tx, {
        id: tx.newId(),
        owner_id: call.principal.userId,
        name: fields.name,
        description: fields.description,
        instructions: fields.instructions,
        build_url: fields.buildUrl,
        cover_image_url: fields.coverImageUrl,
        external_url: fields.externalUrl,
        status: "active",
        devices: JSON.stringify([...new Set(devices)]),
        platforms: JSON.stringify([...new Set(platforms)]),
        languages: JSON.stringify([...new Set(languages)]),
        created_at: now,
        updated_at: now,
      });
      await gameStore.setCategories(tx, row.id, [...new Set(tags)]);
      await addBuild(tx, row.id, row.build_url);
      if (row.cover_image_url !== null) await scheduleCover(tx, row.id, row.cover_image_url);
      await queueIndexing(tx, { what: "game", id: row.id });
      return { game: gameView(row) };
    }),

  async getGame(call) {
    return call.read(async (q) => {
      const row = await gameStore.findForOwner(q, call.params.id, call.principal.userId);
      if (!row) throw notFound();
      return { game: fullGameView(row, (await gameStore.categoriesOf(q, [row.id])).get(row.id) ?? []) };
    });
  },

  updateGame: (call) =>
    call.commit(async (tx) => {
      const row = await gameStore.findForOwner(tx, call.params.id, call.principal.userId);
      if (!row) throw notFound();
      const { tags, devices, platforms, languages, name, description, instructions, buildUrl, coverImageUrl, externalUrl } =
        call.body;
      await checkTags(tx, tags);
      const changes: Partial<gameStore.GameRow> = { updated_at: tx.now };
      if (name !== undefined) changes.name = name;
      if (description !== undefined) changes.description = description;
      if (instructions !== undefined) changes.instructions = instructions;
      if (coverImageUrl !== undefined) changes.cover_image_url = coverImageUrl;
      if (externalUrl !== undefined) changes.external_url = externalUrl;
      if (devices !== undefined) changes.devices = JSON.stringify([...new Set(devices)]);
      if (platforms !== undefined) changes.platforms = JSON.stringify([...new Set(platforms)]);
      if (languages !== undefined) changes.languages = JSON.stringify([...new Set(languages)]);
      if (buildUrl !== undefined && buildUrl !== row.build_url) {
        await requireMayReplaceBuild(tx, call.principal, row.id);
        Object.assign(changes, { build_url: buildUrl, build_id: await addBuild(tx, row.id, buildUrl) });
      }
      await gameStore.update(tx, row.id, changes);
      if (tags !== undefined) await gameStore.setCategories(tx, row.id, [...new Set(tags)]);
      if (name !== undefined) await queueIndexing(tx, { what: "game", id: row.id });
      if (coverImageUrl === null) await covers.remove(tx, row.id);
      if (coverImageUrl) await scheduleCover(tx, row.id, coverImageUrl);
      return { game: gameView({ ...row, ...changes }) };
    }),

  async listBuilds(call) {
    const page = call.page();
    const rows = await call.read(async (q) => {
      if (!(await gameStore.findForOwner(q, call.params.id, call.principal.userId))) throw notFound();
      return gameStore.listBuilds(q, call.params.id, page);
    });
    return call.listed(page, rows, (items) => ({ builds: items.map(buildView) }));
  },
} satisfies Partial<Handlers>;
