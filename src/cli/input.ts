import { idOf } from "../config/ids.ts";
import type { Operation } from "../contract/index.ts";
import { usage } from "../errors.ts";
import { at } from "../io/cells.ts";
import { shortId } from "../io/text.ts";
import { buildBody, fieldValues, queryFields } from "./body.ts";
import type { Context, ListRange } from "./context.ts";
import { type Arg, arg, type Command, type CommandInput } from "./define.ts";
import { kebab, parseInteger } from "./flags.ts";
import { createGame, defaultGame, hasNames, idNamed, onlyGame, playtestNamed } from "./names.ts";
import type { Parsed } from "./parse.ts";

type Item = Record<string, unknown>;

/** How there comes to be a first one to choose. */
const firstOf: Partial<Record<Operation, string>> = {
  listGames: `Create one: \`${createGame}\`.`,
  listPlaytests: "Order one: `playtest order`.",
};

/** As many as a person may look through. */
const mostChoices = 100;

/** Prompts for the item whose id was omitted. */
async function pick(name: string, { id = {} }: Arg<unknown>, ctx: Context): Promise<string> {
  const { label = "name", query = {} } = id;
  const params = id.ofGame && { gameId: (await defaultGame(ctx)) ?? (await omittedGame(ctx)) };
  const items: Item[] = [];
  for await (const page of ctx.pages(id.pick!, { ...(params && { params }), query } as never, { limit: mostChoices + 1 }))
    items.push(...(page.items as Item[]));
  const choices = items.slice(0, mostChoices).map((item) => ({
    value: idOf(item) ?? "",
    name: `${shortId(idOf(item) ?? "")}  ${(typeof label === "string" ? at(item, label) : label(item)) ?? ""}`,
  }));
  if (choices.length === 0) throw usage(`There is no ${name} to choose from.`, firstOf[id.pick!]);
  const more =
    items.length > mostChoices ? ` There are more than these ${mostChoices}: for another, pass <${name}> as an argument.` : "";
  return ctx.prompt.choose(`Which ${name}?${more}`, choices, `Pass <${name}> as an argument.`);
}

const noGame = () =>
  usage(
    "Missing argument <game>.",
    "Pass the id or name of a game, or set one for this directory with `playtest games use GAME`.",
  );

/** The only game, which needs no question; else the one that is chosen. */
async function omittedGame(ctx: Context): Promise<string> {
  const only = await onlyGame(ctx);
  if (only !== undefined) return only;
  if (!ctx.prompt.possible) throw noGame();
  return pick("game", arg.game(), ctx);
}

async function argument(name: string, one: Arg<unknown>, words: string[], raw: Item, ctx: Context): Promise<unknown> {
  const pickable = one.id?.pick;
  const resolve = async (word: string) => {
    if (one.id?.ofGame) return playtestNamed(ctx, word);
    if (hasNames(pickable) && !one.id?.asGiven) return idNamed(ctx, pickable, word);
    return one.id ? ctx.resolveId(word) : word;
  };
  const chosen = one.id?.unless?.some((flag) => raw[flag] !== undefined && raw[flag] !== false);
  if (one.variadic) {
    const rest = await Promise.all(words.splice(0).map(resolve));
    if (rest.length === 0 && one.id?.pick && !chosen && ctx.prompt.possible)
      return [await pick(name.replace(/s$/, ""), one, ctx)];
    if (rest.length === 0 && !one.optional) throw usage(`Missing argument <${name}…>.`);
    return rest;
  }
  const word = words.shift();
  if (word === "") throw usage(`Argument <${name}> must not be empty.`);
  if (word !== undefined) return resolve(word);
  const set = one.setting && ctx.settings().get(one.setting);
  if (set) return resolve(set.value);
  if (one.optional || chosen) return undefined;
  if (one.setting) return omittedGame(ctx);
  if (pickable && ctx.prompt.possible) return pick(name, one, ctx);
  throw usage(`Missing argument <${name}>.`, one.choices && `Use one of ${one.choices.join(", ")}.`);
}

async function argumentsOf(command: Command, { words: given, raw }: Parsed, ctx: Context) {
  const words = [...given];
  const values: Item = {};
  for (const [name, one] of Object.entries(command.args ?? {})) values[name] = await argument(name, one, words, raw, ctx);
  if (words.length > 0) throw usage(`Unexpected argument ${JSON.stringify(words[0])}.`);
  return values;
}

function flagsOf(command: Command, raw: Item): Item {
  const entries = Object.entries(command.flags ?? {}).map(([name, flag]) => {
    const given = raw[kebab(name)];
    const label = `--${kebab(name)}`;
    if (given === undefined) {
      if (flag.required) throw usage(`${label} is required.`);
      return [name, flag.initial];
    }
    if (flag.kind === "switch") return [name, given];
    return [
      name,
      flag.kind === "list" ? (given as string[]).map((text) => flag.parse(text, label)) : flag.parse(given as string, label),
    ];
  });
  return Object.fromEntries(entries) as Item;
}

function rangeOf(command: Command, raw: Item): ListRange {
  if (!command.list) return {};
  const { limit, all, cursor } = raw as { limit?: string; all?: boolean; cursor?: string };
  if (limit !== undefined && all) throw usage("--limit and --all cannot be used together.");
  return { all: all === true, cursor, limit: limit === undefined ? undefined : parseInteger(limit, "--limit", 1, 1_000_000_000) };
}

/** Validates a command's arguments, flags, query and body. An invalid value is a usage error that names its flag. */
export async function buildInput(command: Command, parsed: Parsed, ctx: Context): Promise<CommandInput> {
  const { raw } = parsed;
  const flags = flagsOf(command, raw);
  const range = rangeOf(command, raw);
  const query = fieldValues(queryFields(command), raw);
  const body = await buildBody(command, raw, ctx);
  const args = await argumentsOf(command, parsed, ctx);
  return { args, flags, range, query, body } as unknown as CommandInput;
}
