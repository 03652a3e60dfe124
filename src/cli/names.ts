import { idOf } from "../config/ids.ts";
import type { Operation } from "../contract/index.ts";
import { idNamedIn, many, meant, type Named } from "../contract/input/named.ts";
import { CliError, exitCodes, notFound, usage } from "../errors.ts";
import { at } from "../io/cells.ts";
import { shellShown, uuid } from "../io/text.ts";
import type { Context } from "./context.ts";

/** How an owner begins. */
export const createGame = "playtest games create --name NAME --build-url URL";

/** What can be named instead of its id: what it is called in messages, where its names are, and the command that lists it. */
interface Noun {
  noun: string;
  names: readonly string[];
  listing: string;
}

const nouns: Partial<Record<Operation, Noun>> = {
  listGames: { noun: "game", names: ["name"], listing: "games list" },
  listCategories: { noun: "category", names: ["name", "slug"], listing: "info categories" },
  listContacts: { noun: "contact", names: ["displayName"], listing: "chat list" },
  listPasskeys: { noun: "passkey", names: ["name"], listing: "auth passkeys" },
  listApiKeys: { noun: "API key", names: ["name", "prefix"], listing: "auth keys list" },
  listAdmins: { noun: "administrator", names: ["name", "email"], listing: "admin admins" },
  listGroups: { noun: "group", names: ["name"], listing: "admin groups" },
  listWebhooks: { noun: "webhook", names: ["url"], listing: "webhooks list" },
  listBuilds: { noun: "build", names: ["version"], listing: "games builds" },
  listOffers: { noun: "playtest", names: ["game.name"], listing: "tester browse" },
  listHeldSlots: { noun: "slot", names: ["game.name"], listing: "tester slots" },
  listFriends: { noun: "friend", names: ["handle"], listing: "tester friends list" },
  listOwnApplications: { noun: "application", names: ["gameName"], listing: "tester applications" },
};

/** Whether the items of a list may be named instead of given by id. */
export const hasNames = (operation: Operation | undefined): operation is Operation =>
  operation !== undefined && nouns[operation] !== undefined;

type Item = Record<string, unknown>;
type Params = Readonly<Record<string, string>>;

const namesOf = (item: Item, { names }: Noun) =>
  names.flatMap((path) => {
    const value = at(item, path);
    return typeof value === "string" && value !== "" ? [value] : [];
  });

/** The items that have an id, by their names. */
const namedIn = (items: readonly Item[], noun: Noun): Named[] =>
  items.flatMap((item) => {
    const id = idOf(item);
    return id === undefined ? [] : [{ id, names: namesOf(item, noun) }];
  });

function oneOf(word: string, items: readonly Item[], noun: Noun): string {
  const found = idNamedIn(word, namedIn(items, noun), noun.noun);
  if (typeof found === "string") return found;
  if (found.isAmbiguous) throw usage(found.message, found.hint);
  const list = `To list ${many(noun.noun)}: \`playtest ${noun.listing}\`.`;
  throw notFound(found.message, found.hint === undefined ? list : `${found.hint} ${list}`);
}

async function itemsOf(ctx: Context, operation: Operation, params: Params): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of ctx.pages(operation, { params } as never, { all: true })) items.push(...(page.items as Item[]));
  return items;
}

/** The id in a full form, or one that was listed recently; undefined: the list has to be asked. */
function knownId(ctx: Context, word: string): string | undefined {
  if (uuid.test(word)) return word;
  try {
    const id = ctx.resolveId(word);
    return id === word ? undefined : id;
  } catch (error) {
    if (error instanceof CliError && error.exitCode === exitCodes.notFound) return undefined;
    throw error;
  }
}

/**
 * The id of what a word means: an id, the end of one, or a name or slug of an item of the list, which is fetched only for those. Unknown: exit
 * 3; ambiguous: exit 2.
 */
export async function idNamed(ctx: Context, operation: Operation, word: string, params: Params = {}): Promise<string> {
  return knownId(ctx, word) ?? oneOf(word, await itemsOf(ctx, operation, params), nouns[operation]!);
}

/** Looks up several words with one request; each result is an id or the error for its word. */
export async function idsNamed(
  ctx: Context,
  operation: Operation,
  words: Iterable<string>,
): Promise<Map<string, string | CliError>> {
  const found = new Map<string, string | CliError>();
  let items: readonly Item[] | undefined;
  for (const word of words) {
    try {
      const known = knownId(ctx, word);
      items ??= known === undefined ? await itemsOf(ctx, operation, {}) : undefined;
      found.set(word, known ?? oneOf(word, items!, nouns[operation]!));
    } catch (error) {
      if (!(error instanceof CliError) || (error.exitCode !== exitCodes.notFound && error.exitCode !== exitCodes.usage))
        throw error;
      found.set(word, error);
    }
  }
  return found;
}

/** The ids of categories that are given by id, name or slug; unchanged if there are none. */
export async function categoryIds(ctx: Context, tags: readonly string[]): Promise<string[]> {
  const found = await idsNamed(ctx, "listCategories", tags);
  return tags.map((tag) => {
    const id = found.get(tag)!;
    if (id instanceof CliError) throw id;
    return id;
  });
}

/**
 * The id of a playtest: an id, the end of one, or the name or slug of a game that has only one playtest. What names no game is returned
 * unchanged, because other servers have ids of any form. Several playtests: exit 2.
 */
export async function playtestNamed(ctx: Context, word: string): Promise<string> {
  const id = ctx.resolveId(word);
  if (uuid.test(id) || ctx.wasListed(id) || !/\p{L}/u.test(word)) return id;
  const named = nouns.listGames!;
  const games = await itemsOf(ctx, "listGames", {});
  if (meant(word, namedIn(games, named)).length === 0) return word;
  const gameId = oneOf(word, games, named);
  const playtests: Item[] = [];
  for await (const page of ctx.pages("listPlaytests", { params: { gameId } }, { limit: 2 }))
    playtests.push(...(page.items as Item[]));
  const [first, second] = playtests;
  if (first !== undefined && second === undefined) return idOf(first)!;
  const list = `playtest playtests list ${shellShown(word)}`;
  if (first === undefined)
    throw notFound(`The game ${JSON.stringify(word)} has no playtests.`, "Order one with `playtest order`.");
  throw usage(`The game ${JSON.stringify(word)} has several playtests.`, `Use the id of one. To list them: \`${list}\`.`);
}

/** The game that is set for this directory or profile; undefined: none. */
export async function defaultGame(ctx: Context): Promise<string | undefined> {
  const set = ctx.settings().get("gameId")?.value;
  return set === undefined ? undefined : idNamed(ctx, "listGames", set);
}

/** The id of the owner's only game; undefined: there are none or several, or they cannot be listed. */
export async function onlyGame(ctx: Context): Promise<string | undefined> {
  try {
    const games: Item[] = [];
    for await (const page of ctx.pages("listGames", {}, { limit: 2 })) games.push(...(page.items as Item[]));
    return games.length === 1 ? idOf(games[0]!) : undefined;
  } catch (error) {
    // Without a key or a server, which game is meant is not the question.
    const asks =
      error instanceof CliError && error.exitCode !== exitCodes.unauthenticated && error.exitCode !== exitCodes.unreachable;
    if (asks) return undefined;
    throw error;
  }
}
