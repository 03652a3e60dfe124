import { idOf } from "../config/ids.ts";
import type { Operation } from "../contract/index.ts";
import { nearest } from "../contract/text/nearest.ts";
import { CliError, exitCodes, notFound, usage } from "../errors.ts";
import { at } from "../io/cells.ts";
import { shellShown, uuid } from "../io/text.ts";
import type { Context } from "./context.ts";

/** How an owner begins. */
export const createGame = "playtest games create --name NAME --build-url URL";

/** What can be named instead of its id: what it is called in messages, where its names are, and the command that lists it. */
interface Named {
  noun: string;
  names: readonly string[];
  listing: string;
}

const nouns: Partial<Record<Operation, Named>> = {
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

const many = (noun: string) => (noun.endsWith("y") && !noun.endsWith("ey") ? `${noun.slice(0, -1)}ies` : `${noun}s`);

/** A name as it is written in an address: `Lantern Deep` is `lantern-deep`. */
const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

type Item = Record<string, unknown>;
type Params = Readonly<Record<string, string>>;

const namesOf = (item: Item, { names }: Named) =>
  names.flatMap((path) => {
    const value = at(item, path);
    return typeof value === "string" && value !== "" ? [value] : [];
  });

/** The items that a word means: by id or its end, else by a name as it is written, else by a name or slug in any case. */
function meant(word: string, items: readonly Item[], named: Named): Item[] {
  const lower = word.toLowerCase();
  const tests: ((item: Item) => boolean)[] = [
    (item) => idOf(item) === word || (/^[0-9a-f]{8}$/.test(lower) && idOf(item)?.toLowerCase().endsWith(lower) === true),
    (item) => namesOf(item, named).includes(word),
    (item) => namesOf(item, named).some((name) => name.toLowerCase() === lower || slugOf(name) === lower),
  ];
  for (const test of tests) {
    const found = items.filter(test);
    if (found.length > 0) return found;
  }
  return [];
}

/** The name that a word is nearly, or the only one that has a word that begins so: `lantern` is `Lantern Deep`. */
function similar(word: string, names: readonly string[]): string | undefined {
  const having = new Map(
    names.filter((name) => `-${slugOf(name)}`.includes(`-${slugOf(word)}`)).map((name) => [slugOf(name), name]),
  );
  const [only] = having.values();
  return nearest(word, names) ?? (having.size === 1 && slugOf(word) !== "" ? only : undefined);
}

function oneOf(word: string, items: readonly Item[], named: Named): string {
  const found = meant(word, items, named);
  const [item] = found;
  if (item !== undefined && found.length === 1) return idOf(item)!;
  const { noun, listing } = named;
  if (item !== undefined)
    throw usage(
      `${found.length} ${many(noun)} are called ${JSON.stringify(word)}.`,
      `Use an id: ${found.map((one) => idOf(one)).join(", ")}.`,
    );
  const near = similar(
    word,
    items.flatMap((one) => namesOf(one, named)),
  );
  const list = `To list ${many(noun)}: \`playtest ${listing}\`.`;
  throw notFound(
    `No ${noun} is called ${JSON.stringify(word)}.`,
    near === undefined ? list : `Did you mean ${JSON.stringify(near)}? ${list}`,
  );
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
  const games = meant(word, await itemsOf(ctx, "listGames", {}), named);
  if (games.length === 0) return word;
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
