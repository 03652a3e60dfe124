import { resolve } from "node:path";
import type { Data, Input } from "../../api/client.ts";
import { checkTexts, parseObject } from "../../cli/body.ts";
import { arg, type Context, flag, prose, viewOf } from "../../cli/define.ts";
import { defaultGame as idOfDefaultGame } from "../../cli/names.ts";
import { operations } from "../../contract/static.ts";
import { languageTag } from "../../contract/text/language-tag.ts";
import { usage } from "../../errors.ts";

type Body = NonNullable<Input<"createGame">["body"]>;
type Game = Data<"getGame">["game"];

export const declaredArgs = {
  game: {
    ...arg.optional(
      "Game id or name (default: the id in the file, else set by `games use`, else the game with the name in the file; if none exists, a new game)",
    ),
    id: { pick: "listGames" as const },
  },
};
export const declaredFlags = {
  fromFile: {
    ...flag.text("The game in JSON or YAML; - reads standard input", { short: "f", value: "FILE" }),
    required: true,
  },
};

export interface Difference {
  field: keyof Body;
  from: unknown;
  to: unknown;
}

export const differenceView = viewOf<Difference>(["field", prose("current:from"), prose("in file:to")], {
  empty: "The game matches the file.",
});

export interface Declared {
  /** Undefined: it does not exist yet. */
  game: Game | undefined;
  wanted: Body;
  differences: Difference[];
}

const gameFields = operations.createGame.body;
const fields = gameFields.map(({ name }) => name);

/** Compares a game with its file. Fields that are not in the file are ignored. */
export async function compare(ctx: Context, file: string, gameId: string | undefined): Promise<Declared> {
  const text = await ctx.io.readText(file === "-" ? file : resolve(ctx.io.cwd(), file), "--from-file");
  const { id: declaredId, ...given } = await parseObject(text, file);
  const unknown = Object.keys(given).find((name) => !fields.includes(name));
  if (unknown !== undefined)
    throw usage(`--from-file: ${file} has an unknown field ${JSON.stringify(unknown)}.`, `Fields: id, ${fields.join(", ")}.`);
  checkTexts(given, gameFields, file);
  if (declaredId != null && typeof declaredId !== "string") throw usage(`--from-file: id in ${file} must be the id of a game.`);
  // `id:` without a value is null.
  const game = await findGame(ctx, file, gameId ?? declaredId ?? undefined, given.name);
  const tags = given.tags === undefined ? undefined : await categoriesOf(ctx, given.tags as string[]);
  const wanted = { ...given, ...(tags && { tags: tags.map(({ id }) => id) }) } as Body;
  const named = (categories: readonly { name: string }[]) => categories.map(({ name }) => name);
  const present = game === undefined ? {} : { ...game, tags: named(game.categories) };
  const shown = { ...wanted, ...(tags && { tags: named(tags) }) };
  const names = Object.keys(wanted) as (keyof Body)[];
  const differences = names
    .map((field) => ({ field, from: (present as Partial<Body>)[field] ?? null, to: shown[field] ?? null }))
    .filter(({ field, from, to }) => !same(stored(field, from), stored(field, to)));
  return { game, wanted, differences };
}

async function gamesNamed(ctx: Context, name: unknown): Promise<Game[]> {
  if (name === undefined) return [];
  const found: Game[] = [];
  for await (const { items } of ctx.pages("listGames", {}, { all: true }))
    found.push(...(items as Game[]).filter((game) => game.name === name));
  return found;
}

/**
 * The game that a file describes: by id, else the game of this directory, else by name, so that a fresh checkout creates no duplicate. A
 * name that differs from the name of the directory's game could mean a rename or another game, so it is an error.
 */
async function findGame(ctx: Context, file: string, id: string | undefined, name: unknown): Promise<Game | undefined> {
  const get = async (gameId: string) => (await ctx.api().getGame({ params: { id: gameId } })).game;
  if (id !== undefined) return get(id);
  const defaultId = await idOfDefaultGame(ctx);
  const defaultGame = defaultId === undefined ? undefined : await get(defaultId);
  if (defaultGame && (name === undefined || name === defaultGame.name)) return defaultGame;
  const [game, ...more] = await gamesNamed(ctx, name);
  if (more.length > 0) throw usage(`${more.length + 1} games are named ${String(name)}.`, "Pass the id of the game.");
  if (game || !defaultGame) return game;
  throw usage(
    `${file} describes ${String(name)}, but the game of this directory is ${defaultGame.name}.`,
    `To rename ${defaultGame.name}, pass its id: ${defaultGame.id}. For another game, use another directory.`,
  );
}

/** A value as the server stores it: lists as sets, here in one order, and languages in their usual spelling. */
function stored(field: keyof Body, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const spelled = field === "languages" ? value.map((tag) => languageTag(String(tag)) ?? tag) : value;
  return [...new Set(spelled)].sort();
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Categories by id, slug or name. */
async function categoriesOf(ctx: Context, tags: readonly string[]) {
  if (!Array.isArray(tags)) throw usage("--from-file: tags must be a list.");
  const { categories } = await ctx.api().listCategories({});
  return tags.map((tag) => {
    const wanted = String(tag).toLowerCase();
    const found = categories.find(({ id, slug, name }) => [id, slug, name.toLowerCase()].includes(wanted));
    if (!found)
      throw usage(`--from-file: unknown category ${JSON.stringify(tag)}.`, "To list categories: `playtest info categories`.");
    return found;
  });
}
