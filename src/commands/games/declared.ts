import { resolve } from "node:path";
import type { Data, Input } from "../../api/client.ts";
import { parseObject } from "../../cli/body.ts";
import { arg, type Context, col, flag, prose, type View } from "../../cli/define.ts";
import { operations } from "../../contract/static.ts";
import { usage } from "../../errors.ts";

type Body = NonNullable<Input<"createGame">["body"]>;
type Game = Data<"getGame">["game"];

export const declaredArgs = {
  game: {
    ...arg.optional("Game id; default the file's id, the one `games use` set, or the game of that name; none: a new game"),
    id: {},
  },
};
export const declaredFlags = {
  fromFile: {
    ...flag.text("The game as it should be, JSON or YAML; - is standard input", { short: "f", value: "FILE" }),
    required: true,
  },
};

export interface Difference {
  field: keyof Body;
  from: unknown;
  to: unknown;
}

export const differenceView: View = {
  columns: [col("field", "field"), prose("is", "from"), prose("should be", "to")],
  empty: "The game is as the file says.",
};

export interface Declared {
  /** None: it does not exist yet. */
  game: Game | undefined;
  wanted: Body;
  differences: Difference[];
}

const fields = operations.createGame.body.map(({ name }) => name);

/** Compares a game with what a file says of it; fields the file leaves out are left alone. */
export async function compare(ctx: Context, file: string, gameId: string | undefined): Promise<Declared> {
  const text = await ctx.io.readText(file === "-" ? file : resolve(ctx.io.cwd(), file), "--from-file");
  const { id: declaredId, ...given } = await parseObject(text, file);
  const unknown = Object.keys(given).find((name) => !fields.includes(name));
  if (unknown !== undefined)
    throw usage(`--from-file: ${file} has a field ${unknown} that is not known.`, `Fields: id, ${fields.join(", ")}.`);
  const game = await described(ctx, file, gameId ?? (declaredId as string | undefined), given.name);
  const tags = given.tags === undefined ? undefined : await categoriesOf(ctx, given.tags as string[]);
  const wanted = { ...given, ...(tags && { tags: tags.map(({ id }) => id) }) } as Body;
  const named = (categories: readonly { name: string }[]) => categories.map(({ name }) => name);
  const present = game === undefined ? {} : { ...game, tags: named(game.categories) };
  const shown = { ...wanted, ...(tags && { tags: named(tags) }) };
  const names = Object.keys(wanted) as (keyof Body)[];
  const differences = names
    .map((field) => ({ field, from: (present as Partial<Body>)[field] ?? null, to: shown[field] ?? null }))
    .filter(({ from, to }) => !same(from, to));
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
 * The game a file is about. By its name where nothing else says so, so that a fresh checkout registers nothing twice; a name that is not
 * the folder's game's could mean a new name or another game, and is not guessed at.
 */
async function described(ctx: Context, file: string, id: string | undefined, name: unknown): Promise<Game | undefined> {
  const get = async (gameId: string) => (await ctx.api().getGame({ params: { id: gameId } })).game;
  if (id !== undefined) return get(id);
  const folders = ctx.settings().get("gameId")?.value;
  const usual = folders === undefined ? undefined : await get(folders);
  if (usual && (name === undefined || name === usual.name)) return usual;
  const [game, ...more] = await gamesNamed(ctx, name);
  if (more.length > 0) throw usage(`There are ${more.length + 1} games named ${String(name)}.`, "Say which: give its id.");
  if (game || !usual) return game;
  throw usage(
    `${file} describes ${String(name)}, but the game of this folder is ${usual.name}.`,
    `To rename that, give its id: ${usual.id}. For another game use another folder.`,
  );
}

const sorted = (value: unknown) => (Array.isArray(value) ? [...value].sort() : value);
/** Sets have no order. */
const same = (a: unknown, b: unknown) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Categories by id, slug or name. */
async function categoriesOf(ctx: Context, tags: readonly string[]) {
  if (!Array.isArray(tags)) throw usage("--from-file: tags must be a list.");
  const { categories } = await ctx.api().listCategories({});
  return tags.map((tag) => {
    const wanted = String(tag).toLowerCase();
    const found = categories.find(({ id, slug, name }) => [id, slug, name.toLowerCase()].includes(wanted));
    if (!found) throw usage(`--from-file: there is no category ${JSON.stringify(tag)}.`, "See `playtest info categories`.");
    return found;
  });
}
