import { resolve } from "node:path";
import type { Data, Input } from "../../api/client.ts";
import { parseObject } from "../../body.ts";
import { operations } from "../../contract/static.ts";
import { usage } from "../../errors.ts";
import { arg, type Context, col, flag, prose, type View } from "../define.ts";

type Body = NonNullable<Input<"createGame">["body"]>;
type Game = Data<"getGame">["game"];

export const declaredArgs = {
  game: { ...arg.optional("Game id; default the file's id, then the one `games use` set; none: a new game"), id: {} },
};
export const declaredFlags = {
  fromFile: {
    ...flag.text("The game as it should be, JSON or YAML; - is standard input", { short: "f", value: "FILE" }),
    required: true,
  },
};

export interface Difference {
  field: string;
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
  const id = gameId ?? (declaredId as string | undefined) ?? ctx.settings().get("gameId")?.value;
  const game = id === undefined ? undefined : (await ctx.api().getGame({ params: { id } })).game;
  const wanted = { ...given, ...(given.tags !== undefined && { tags: await categoryIds(ctx, given.tags as string[]) }) } as Body;
  const present = game === undefined ? {} : { ...game, tags: game.categories.map((category) => category.id) };
  const names = Object.keys(wanted) as (keyof Body)[];
  const differences = names
    .map((field) => ({ field, from: (present as Partial<Body>)[field] ?? null, to: wanted[field] ?? null }))
    .filter(({ from, to }) => !same(from, to));
  return { game, wanted, differences };
}

const sorted = (value: unknown) => (Array.isArray(value) ? [...value].sort() : value);
/** Sets have no order. */
const same = (a: unknown, b: unknown) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

/** Categories by id, slug or name. */
async function categoryIds(ctx: Context, tags: readonly string[]): Promise<string[]> {
  if (!Array.isArray(tags)) throw usage("--from-file: tags must be a list.");
  const { categories } = await ctx.api().listCategories({});
  return tags.map((tag) => {
    const wanted = String(tag).toLowerCase();
    const found = categories.find(({ id, slug, name }) => [id, slug, name.toLowerCase()].includes(wanted));
    if (!found) throw usage(`--from-file: there is no category ${JSON.stringify(tag)}.`, "See `playtest info categories`.");
    return found.id;
  });
}
