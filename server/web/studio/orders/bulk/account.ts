import type { Account } from "../../../../../src/contract/bulk/read.ts";
import type { KnownOrders } from "../../../../../src/contract/bulk/refs.ts";
import { idNamedIn, type Named } from "../../../../../src/contract/input/named.ts";
import { Refused } from "../../../../../src/contract/input/refused.ts";
import { ApiError } from "../../../../lib/api-error.ts";
import { ifOffered } from "../../../shared/not-offered.ts";
import { profileZone } from "../../../shared/zone.ts";
import { ifAllowed } from "../../allowed.ts";
import { everyItem } from "../../every-item.ts";
import type { StudioContext } from "../../types.ts";

/** What the words of a file mean for the account that is signed in, and what it ordered before. */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The ids that words mean. The list of items is asked only for words that are no ids. */
async function lookedUp(words: Iterable<string>, noun: string, list: () => Promise<readonly Named[]>) {
  let items: readonly Named[] | undefined;
  const found = new Map<string, string | { message: string }>();
  for (const word of words) {
    items ??= uuid.test(word) ? undefined : await list();
    const id = uuid.test(word) ? word : idNamedIn(word, items ?? [], noun);
    found.set(word, typeof id === "string" ? id : { message: [id.message, id.hint ?? []].flat().join(" ") });
  }
  return found;
}

const gamesOf = ({ call }: StudioContext): Promise<Named[]> =>
  everyItem(async (cursor) => {
    const { data, meta } = await call("listGames", { query: { limit: 100, cursor } });
    return { items: data.games.map(({ id, name }) => ({ id, names: [name] })), meta };
  });

const testersOf = ({ call }: StudioContext): Promise<Named[]> =>
  everyItem(async (cursor) => {
    const reply = await ifAllowed(call("listContacts", { query: { limit: 100, cursor } }));
    const contacts = reply && "contacts" in reply.data ? reply.data.contacts : [];
    return { items: contacts.map(({ id, displayName }) => ({ id, names: [displayName] })), meta: reply?.meta ?? {} };
  });

/** `undefined` for what does not exist or belongs to somebody else. */
async function ifFound<T>(wanted: Promise<T>): Promise<T | undefined> {
  try {
    return await wanted;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** How times are read: in the time zone of the profile. */
async function timesOf(context: StudioContext, texts: readonly string[]) {
  if (texts.length > 0 && !(await context.offers("rescheduleSlot")))
    throw new Refused("This server has no playtests at a fixed time. Nothing was ordered.", "Leave out the column scheduledAt.");
  const { hasOffset, timesIn } = await import("../../../../../src/contract/time/local.ts");
  const zone = texts.every(hasOffset) ? "UTC" : await profileZone(context);
  return timesIn(zone, "set the time zone of your profile");
}

export const accountOf = (context: StudioContext, game: string | undefined): Account => ({
  game,
  async onlyGame() {
    const { games } = (await context.call("listGames", { query: { limit: 2 } })).data;
    return games.length === 1 ? games[0]!.id : undefined;
  },
  games: (words) => lookedUp(words, "game", () => gamesOf(context)),
  testers: (words) => lookedUp(words, "contact", () => testersOf(context)),
  times: (texts) => timesOf(context, texts),
  hasGame: async (id) => (await ifFound(context.call("getGame", { params: { id } }))) !== undefined,
});

/** Studio keeps no journal: the server knows the refs, and the keys of rows for a day. */
export const knownOrders = ({ call }: StudioContext, warn: KnownOrders["warn"]): KnownOrders => ({
  journal: { ordered: () => undefined, orderedAs: () => undefined, hasOtherKeys: () => false },
  byRefs: async (refs) => (await ifOffered(call("findPlaytestsByRef", { body: { refs } })))?.data.playtests,
  byId: async (id) => (await ifFound(call("getPlaytest", { params: { id } })))?.data.playtest,
  warn,
});
