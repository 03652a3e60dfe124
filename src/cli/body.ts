import { JsonFault, parseStrictJson } from "../contract/input/strict-json.ts";
import { type Field, operations } from "../contract/static.ts";
import { usage } from "../errors.ts";
import type { Context } from "./context.ts";
import type { Command } from "./define.ts";
import { fieldFlag, flagName, kebab } from "./flags.ts";

type Json = Record<string, unknown>;

/** Body fields of a command that get a flag of their own. */
export function bodyFields(command: Command): readonly Field[] {
  if (!command.body) return [];
  return operations[command.body].body.filter((field) => !command.bodyOmit?.includes(field.name));
}

export const queryFields = (command: Command): readonly Field[] =>
  command.query ? operations[command.query].query.filter(({ name }) => name !== "limit" && name !== "cursor") : [];

/** Parsed values of the flags given for `fields`, by field name. `raw` holds the strings as commander collected them. */
export function fieldValues(fields: readonly Field[], raw: Json): Json {
  const values: Json = {};
  for (const field of fields) {
    const name = flagName(field);
    const given = raw[name];
    if (given === undefined) continue;
    const { kind, parse } = fieldFlag(field);
    const label = `--${name}`;
    if (kind === "switch") values[field.name] = given;
    else
      values[field.name] =
        kind === "list" ? (given as string[]).flatMap((text) => parse(text, label)) : parse(given as string, label);
    if (field.maxItems !== undefined && (values[field.name] as unknown[]).length > field.maxItems)
      throw usage(`${label}: at most ${field.maxItems} are allowed.`);
  }
  return values;
}

/** A value in JSON or YAML. What begins like JSON may still be YAML, such as `{name: Lantern}`. */
async function parsed(text: string): Promise<unknown> {
  const isLikeJson = /^\s*[{[]/.test(text);
  try {
    if (isLikeJson) return parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof JsonFault && error.isSyntax)) throw error;
    return await parsedAsYaml(text).catch(() => {
      // It is written as JSON, so its fault is told in the words of JSON.
      throw error;
    });
  }
  return parsedAsYaml(text);
}

const parsedAsYaml = async (text: string): Promise<unknown> => (await import("yaml")).parse(text);

/** Parses a JSON or YAML object. */
export async function parseObject(text: string, path: string, flag = "--from-file"): Promise<Json> {
  let value: unknown;
  try {
    value = await parsed(text);
  } catch (error) {
    throw usage(`${flag}: ${path} is not valid JSON or YAML: ${(error as Error).message.split("\n")[0]}`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw usage(`${flag}: ${path} must contain a JSON or YAML object.`);
}

/** Refuses numbers and the like for texts: YAML reads `name: 2048` as a number. */
export function checkTexts(body: Json, all: readonly Field[], path: string): void {
  const isWrong = ({ name, type, array }: Field) =>
    type === "string" && !array && ["number", "boolean"].includes(typeof body[name]);
  const field = all.find(isWrong);
  if (!field) return;
  const { name } = field;
  throw usage(
    `--from-file: ${name} in ${path} must be a text and is a ${typeof body[name]}.`,
    `Put it in quotes: \`${name}: "${body[name]}"\`.`,
  );
}

function checkNames(body: Json, all: readonly Field[], path: string) {
  const known = all.map(({ name }) => name);
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw usage(`--from-file: unknown field ${JSON.stringify(unknown)} in ${path}.`, `Known fields: ${known.join(", ")}.`);
}

function clear(body: Json, names: readonly string[], fields: readonly Field[]) {
  for (const name of names.flatMap((text) => text.split(","))) {
    const field = fields.find((one) => one.name === name || kebab(one.name) === name);
    const clearable = fields.filter(({ nullable }) => nullable).map((one) => kebab(one.name));
    if (!field?.nullable) throw usage(`--clear: ${name} cannot be cleared.`, `These fields can be: ${clearable.join(", ")}.`);
    body[field.name] = null;
  }
}

/** `--a, --b and --c`. */
const listed = (flags: readonly string[]) => flags.join(", ").replace(/, ([^,]*)$/, " and $1");

/** Whether a person can type the value in one line. */
const isLine = ({ type, array, enum: choices }: Field) => type === "string" && !array && choices === undefined;

/** Required fields that have no value yet. */
const missingIn = (body: Json, command: Command): readonly Field[] =>
  command.partialBody ? [] : bodyFields(command).filter(({ name, required }) => required && body[name] === undefined);

type Asking = Pick<Context, "prompt" | "out">;

/** On a terminal asks for required fields; elsewhere they are a usage error that names the flags of all. */
async function complete(body: Json, command: Command, { prompt, out }: Asking): Promise<void> {
  const missing = missingIn(body, command);
  const flags = missing.map((field) => `--${flagName(field)}`);
  const hints = missing.flatMap(({ name }) => command.requiredHints?.[name] ?? []).join("\n") || undefined;
  if (missing.length > 0 && !(prompt.possible && missing.every(isLine)))
    throw usage(`${listed(flags)} ${flags.length === 1 ? "is" : "are"} required.`, hints);
  if (hints !== undefined) out.note(hints);
  for (const field of missing) {
    const label = `--${flagName(field)}`;
    const question = `${(field.description ?? field.name).replace(/\.$/, "")}:`;
    body[field.name] = fieldFlag(field).parse(await prompt.text(question, `Pass ${label}.`), label);
  }
}

/**
 * Builds the request body: fields from the file, then from flags, then null for each field that --clear names. Required fields that are
 * missing are asked for on a terminal, else they are a usage error.
 */
export async function buildBody(command: Command, raw: Json, ctx: Asking & Pick<Context, "io">): Promise<Json> {
  if (!command.body) return {};
  const all = operations[command.body].body;
  const path = raw["from-file"] as string | undefined;
  const body = path === undefined ? {} : await parseObject(await ctx.io.readText(path, "--from-file"), path);
  if (path !== undefined) {
    checkNames(body, all, path);
    checkTexts(body, all, path);
  }
  Object.assign(body, fieldValues(bodyFields(command), raw));
  clear(body, (raw.clear ?? []) as string[], all);
  await complete(body, command, ctx);
  return body;
}
