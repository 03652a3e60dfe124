import { CommanderError, Option, Command as Parser } from "commander";
import { operations } from "../contract/static.ts";
import { nearest } from "../contract/text/nearest.ts";
import { usage } from "../errors.ts";
import { bodyFields, queryFields } from "./body.ts";
import type { Command } from "./define.ts";
import { fieldFlag, flagName, kebab } from "./flags.ts";
import { type GlobalFlag, type GlobalValues, globalFlags } from "./globals.ts";
import { synonymOf } from "./unknown.ts";

/** A flag of a command, for help, completion and the parser. */
export interface FlagInfo {
  name: string;
  short?: string;
  value?: string;
  summary: string;
  repeatable: boolean;
  choices?: readonly string[];
  required: boolean;
  /** Field of the body or query that it sets. */
  field?: string | readonly string[];
}

/** A flag that the parser accepts. A hidden one is a former spelling, which help and completion do not mention. */
type AcceptedFlag = FlagInfo & { hidden?: boolean };

const listFlags: FlagInfo[] = [
  { name: "limit", value: "N", summary: "Maximum number of items to list", repeatable: false, required: false },
  { name: "all", summary: "List all items", repeatable: false, required: false },
  { name: "cursor", value: "CURSOR", summary: "Start at this cursor from an earlier page", repeatable: false, required: false },
];
const fromFile: FlagInfo = {
  name: "from-file",
  short: "f",
  value: "FILE",
  summary: "Read fields from a JSON or YAML file; - for standard input",
  repeatable: false,
  required: false,
};
const clearFlag: FlagInfo = {
  name: "clear",
  value: "FIELDS",
  summary: "Fields to clear, comma-separated",
  repeatable: true,
  required: false,
};

/** All flags of a command except the global ones, as help shows them. */
export const flagsOf = (command: Command): FlagInfo[] =>
  acceptedFlags(command).flatMap(({ hidden, ...flag }) => (hidden ? [] : [flag]));

function acceptedFlags(command: Command): AcceptedFlag[] {
  const own = Object.entries(command.flags ?? {}).map(([name, flag]) => ({
    name: kebab(name),
    ...(flag.short && { short: flag.short }),
    ...(flag.kind !== "switch" && { value: flag.value ?? "TEXT" }),
    summary: flag.summary,
    repeatable: flag.kind === "list",
    ...(flag.choices && { choices: flag.choices }),
    required: flag.required === true,
    ...(flag.field && { field: flag.field }),
    ...(flag.hidden && { hidden: true }),
  }));
  const taken = own.flatMap(({ field, hidden }) => (field === undefined || hidden ? [] : field));
  const fields = [...bodyFields(command), ...queryFields(command)];
  const derived = fields.map((field) => {
    const { kind, summary, value, choices } = fieldFlag(field);
    const required = field.required && !command.partialBody;
    return {
      name: flagName(field),
      summary,
      repeatable: kind === "list",
      required,
      field: field.name,
      ...(taken.includes(field.name) && { hidden: true }),
      ...(value && { value }),
      ...(choices && { choices }),
    };
  });
  // Something new has no value to clear.
  const updates = command.body !== undefined && operations[command.body].method === "PATCH";
  const clearable = updates && bodyFields(command).some(({ nullable }) => nullable);
  return [
    ...derived.filter(({ name }) => !own.some((flag) => flag.name === name)),
    ...own,
    ...(clearable ? [clearFlag] : []),
    ...(command.body ? [fromFile] : []),
    ...(command.list ? listFlags : []),
  ];
}

const spelling = ({ name, short, value }: { name: string; short?: string; value?: string }) =>
  `${short ? `-${short}, ` : ""}--${name}${value ? (value.startsWith("[") ? " [value]" : " <value>") : ""}`;

function option(info: FlagInfo | GlobalFlag) {
  const made = new Option(spelling(info), info.summary);
  if ("repeatable" in info && info.repeatable)
    made.argParser((text: string, all: string[] | undefined) => [...(all ?? []), text]);
  return made;
}

export interface Parsed {
  words: string[];
  /** Values of the command's own flags, by their name on the command line. */
  raw: Record<string, unknown>;
  globals: GlobalValues;
  /** The word behind a bare `--json`, which may have been meant as its fields. */
  afterJson?: string;
}

/** The argument that follows a bare `--json`. */
function wordAfterJson(argv: readonly string[], words: readonly string[]): string | undefined {
  const next = argv[argv.indexOf("--json") + 1];
  return argv.includes("--json") && next !== undefined && words.includes(next) ? next : undefined;
}

// Without the `=`, `--json` would consume the next word, and `games show --json ID` has to work.
const separateOptional = (argv: readonly string[]) => {
  const end = argv.indexOf("--");
  return argv.map((token, i) => ((token === "--json" || token === "--csv") && (end < 0 || i < end) ? `${token}=` : token));
};

/**
 * The flag that a misspelled, shortened or synonymous name stands for: the only longer flag that contains it or its singular, otherwise the
 * nearest one, otherwise one that means the same.
 */
function flagLike(name: string, flags: readonly string[]): string | undefined {
  const longer = flags.filter((flag) => [name, name.replace(/s$/, "")].some((word) => `-${flag}-`.includes(`-${word}-`)));
  return longer.length === 1 ? longer[0] : (nearest(name, flags) ?? synonymOf(name, flags));
}

const ordinals = ["first", "second", "third"];

/** The error for an argument that was written as a flag: `push . --game X` for `push . X`. */
function notFlag(unknown: string, words: readonly string[], help: string) {
  const position = ordinals[words.indexOf(unknown.slice(2))];
  const word = unknown.slice(2).toUpperCase();
  return position && usage(`Unknown flag ${unknown}. Pass ${word} without a flag, as the ${position} argument.`, help);
}

interface Known {
  accepted: readonly string[];
  flags: readonly string[];
  /** Names of the arguments. */
  words: readonly string[];
}

/** Rewords an error of commander. */
function misuse(message: string, { accepted, flags, words }: Known, help: string) {
  // Without what follows an `=`, which may be a secret.
  const [, unknown] = /^unknown option '([^=]*).*'$/s.exec(message) ?? [];
  if (unknown?.startsWith("--api-key"))
    return usage(
      "An API key cannot be passed as a flag value, where other processes can see it.",
      "Set PLAYTEST_API_KEY, pass --api-key-file FILE, or run `playtest login`.",
    );
  if (unknown !== undefined && accepted.includes(unknown.slice(2))) return usage(`${unknown} takes no value.`, help);
  const word = unknown?.startsWith("--") ? notFlag(unknown, words, help) : undefined;
  if (word) return word;
  const near = unknown?.startsWith("--") ? flagLike(unknown.slice(2), flags) : undefined;
  if (unknown !== undefined) return usage(`Unknown flag ${unknown}.`, near ? `Did you mean --${near}?` : help);
  const [, bare] = /^option '(?:-\w, )?(--[\w-]+).*' argument missing$/s.exec(message) ?? [];
  return usage(bare === undefined ? message : `${bare} requires a value.`, help);
}

/** Parses the arguments and flags after a command's path. Unknown flags and missing values are usage errors. */
export function parseArgs(command: Command, argv: readonly string[], path: string): Parsed {
  const parser = new Parser(path)
    .exitOverride()
    .helpOption(false)
    .allowExcessArguments(true)
    .showSuggestionAfterError(false)
    .argument("[words...]");
  parser.configureOutput({ writeErr: () => {} });
  const own = acceptedFlags(command);
  const taken = new Set(own.map(({ name }) => name));
  for (const info of own) parser.addOption(option(info));
  for (const info of globalFlags as readonly GlobalFlag[]) {
    const shadowed = own.some(({ short }) => short !== undefined && short === info.short);
    const { short, ...rest } = info;
    if (!taken.has(info.name)) parser.addOption(option(shadowed ? rest : { ...rest, ...(short && { short }) }));
  }
  try {
    parser.parse(separateOptional(argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const [accepted, flags] = [own, flagsOf(command)].map((all) => [...all, ...globalFlags].map(({ name }) => name));
    throw misuse(
      error.message.replace(/^error: /, ""),
      { accepted: accepted!, flags: flags!, words: Object.keys(command.args ?? {}).map(kebab) },
      `See \`playtest ${path} --help\`.`,
    );
  }
  const values: Record<string, unknown> = parser.opts();
  const raw = Object.fromEntries(own.map(({ name }) => [name, given(values, name)]));
  const afterJson = wordAfterJson(argv, parser.args);
  return { words: parser.args, raw, globals: values as GlobalValues, ...(afterJson !== undefined && { afterJson }) };
}

/** Commander stores `--no-x` as an `x` that is true until the flag is given. */
const given = (values: Record<string, unknown>, name: string) => {
  if (!name.startsWith("no-")) return values[attribute(name)];
  return values[attribute(name.slice(3))] === false ? true : undefined;
};

const attribute = (name: string) => name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
