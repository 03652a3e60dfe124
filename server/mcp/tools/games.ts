import * as z from "zod";
import { studio } from "../../../src/contract/pages/addresses.ts";
import { playtestStatuses } from "../../../src/contract/states/index.ts";
import { wrongCursor } from "../../http/cursor.ts";
import { chosen, continued, fitting } from "../answer.ts";
import type { Host } from "../host.ts";
import { tool } from "../tool.ts";
import { plainLine, pseudonym } from "../untrusted.ts";
import { count, cursor, fields, id, limit, list, more, text } from "./fields.ts";

const newestBuild = async ({ call }: Host, gameId: string) =>
  (await call("listBuilds", { params: { id: gameId }, query: { limit: 1 } })).data.builds[0];

export const listGames = tool({
  name: "list_games",
  toolset: "read",
  description: "Your games with their newest build, newest first.",
  input: { limit, cursor },
  output: { games: list({ id: z.string(), name: text(), buildId: text(), version: text(), builtAt: text() }), ...more },
  run: ({ limit, cursor }, { host }) =>
    fitting(limit, async (size) => {
      const { data, meta } = await host.call("listGames", { query: { limit: size, cursor } });
      const games = await Promise.all(
        data.games.map(async ({ id, name }) => {
          const build = await newestBuild(host, id);
          const known = build && { buildId: build.id, builtAt: build.createdAt };
          const version = build?.version ? { version: plainLine(build.version, 60) } : {};
          return { id, name: plainLine(name, 100), ...known, ...version };
        }),
      );
      return {
        lines: games.map(
          ({ id, name, version, builtAt }) => `${id} ${name}${builtAt ? `, build ${version ?? ""} of ${builtAt}` : ""}`,
        ),
        data: { games, ...continued(meta.hasMore ? meta.cursor : null) },
      };
    }),
});

/** Where a list of the playtests of all games continues: the page of games, the game, and the page of its playtests. */
interface Place {
  games?: string | undefined;
  game?: string | undefined;
  playtests?: string | undefined;
}

const placeOfGame = z.strictObject({ playtests: z.string() });
const placeOfAll = z
  .strictObject({ games: z.string().optional(), game: z.string().optional(), playtests: z.string().optional() })
  .refine(({ games, game }) => games !== undefined || game !== undefined);
const writePlace = (place: Place) => Buffer.from(JSON.stringify(place)).toString("base64url");

/** The place that a cursor of one game's list, or of the list of all, names; without one, the beginning. 422 for any other text. */
function readPlace(cursor: string | undefined, game: string | undefined): Place {
  if (cursor === undefined) return {};
  try {
    const place = game === undefined ? placeOfAll : placeOfGame;
    return place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    throw wrongCursor();
  }
}

/** The most requests of one call, so that a rare status ends early instead of reading all playtests. */
const maxRequests = 20;

interface Search {
  host: Host;
  game: string | undefined;
  status: string | undefined;
  limit: number;
}

type Row = Awaited<ReturnType<typeof pageOf>>["rows"][number];

async function pageOf({ host, status, limit }: Search, gameId: string, cursor: string | undefined) {
  const query = { limit, cursor };
  const { data, meta } = await host.call("listPlaytests", { params: { gameId }, query });
  const rows = data.playtests.filter((playtest) => status === undefined || playtest.status === status);
  return { rows, next: meta.hasMore ? (meta.cursor ?? undefined) : undefined };
}

/** Playtests from a place on, and where they continue. */
async function collect(search: Search, from: Place): Promise<{ rows: Row[]; next: Place | undefined }> {
  const rows: Row[] = [];
  let requests = 0;
  const isFull = () => rows.length >= search.limit || requests >= maxRequests;

  /** The rest of one game's playtests; where they continue, if there are more. */
  async function ofGame(gameId: string, after: string | undefined): Promise<string | undefined> {
    let cursor = after;
    do {
      requests++;
      const page = await pageOf({ ...search, limit: search.limit - rows.length }, gameId, cursor);
      rows.push(...page.rows);
      cursor = page.next;
    } while (cursor !== undefined && !isFull());
    return cursor;
  }

  if (search.game !== undefined) {
    const playtests = await ofGame(search.game, from.playtests);
    return { rows, next: playtests === undefined ? undefined : { playtests } };
  }
  let { games, game, playtests } = from;
  for (;;) {
    requests++;
    const { data, meta } = await search.host.call("listGames", { query: { limit: 20, cursor: games } });
    const at = Math.max(
      0,
      data.games.findIndex(({ id }) => id === game),
    );
    for (const { id } of data.games.slice(at)) {
      if (isFull()) return { rows, next: { games, game: id } };
      playtests = await ofGame(id, id === game ? playtests : undefined);
      if (playtests !== undefined) return { rows, next: { games, game: id, playtests } };
    }
    if (!meta.hasMore || typeof meta.cursor !== "string") return { rows, next: undefined };
    games = meta.cursor;
    game = undefined;
    if (isFull()) return { rows, next: { games } };
  }
}

const slotText = (slots: Row["slots"]) =>
  Object.entries(slots)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
    .join(", ");

const slotsOf = (slots: Row["slots"]) => Object.fromEntries(Object.entries(slots).filter(([, count]) => count > 0));

export const listPlaytests = tool({
  name: "list_playtests",
  toolset: "read",
  description: "Playtests of one game or of all, newest first within each game, with their slots by status.",
  input: { game: id().optional(), status: z.enum(playtestStatuses).optional(), limit, cursor, fields },
  output: {
    playtests: list({
      id: z.string(),
      game: text(),
      status: text(),
      quantity: count(),
      minutes: count(),
      slots: z.record(z.string(), z.int()).optional(),
      createdAt: text(),
    }),
    ...more,
  },
  run: ({ game, status, limit, cursor, fields }, { host }) =>
    fitting(limit, async (size) => {
      const { rows, next } = await collect({ host, game, status, limit: size }, readPlace(cursor, game));
      const playtests = rows.map((row) => ({
        id: row.id,
        game: row.gameId,
        status: row.status,
        quantity: row.quantity,
        minutes: row.durationMinutes,
        slots: slotsOf(row.slots),
        createdAt: row.createdAt,
      }));
      return {
        lines: rows.map((row) => `${row.id} ${row.status}, ${row.quantity} × ${row.durationMinutes} min: ${slotText(row.slots)}`),
        data: { playtests: chosen(playtests, fields), ...continued(next && writePlace(next)) },
      };
    }),
});

export const getPlaytest = tool({
  name: "get_playtest",
  toolset: "read",
  description: "A playtest with its order and slots.",
  input: { playtest: id(), limit: limit.default(20), cursor },
  output: {
    playtest: z.string(),
    game: z.string(),
    status: z.string(),
    quantity: z.int(),
    minutes: z.int(),
    slots: list({ id: z.string(), status: z.string(), tester: text(), deadlineAt: text(), rating: count() }),
    ...more,
  },
  run: ({ playtest: playtestId, limit, cursor }, { host }) =>
    fitting(limit, async (size) => {
      const params = { id: playtestId };
      const [{ data }, listed] = await Promise.all([
        host.call("getPlaytest", { params }),
        host.call("listSlots", { params, query: { limit: size, cursor } }),
      ]);
      const { id, gameId, status, quantity, durationMinutes } = data.playtest;
      const slots = listed.data.slots.map((slot) => ({
        id: slot.id,
        status: slot.status,
        ...(slot.playtester && { tester: pseudonym(slot.playtester.id) }),
        ...(slot.deadlineAt !== null && { deadlineAt: slot.deadlineAt }),
        ...(slot.rating?.score && { rating: slot.rating.score }),
      }));
      return {
        lines: [
          `${id} ${status}, ${quantity} × ${durationMinutes} min of ${gameId}; ${host.baseUrl}${studio.playtest(id)}`,
          ...slots.map(
            (slot) =>
              `${slot.id} ${slot.status}${slot.tester ? `, ${slot.tester}` : ""}${slot.rating ? `, rated ${slot.rating}` : ""}`,
          ),
        ],
        data: {
          ...{ playtest: id, game: gameId, status, quantity, minutes: durationMinutes },
          slots,
          ...continued(listed.meta.hasMore ? listed.meta.cursor : null),
        },
      };
    }),
});
