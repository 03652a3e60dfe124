import { userInfo } from "node:os";
import { openIdCache } from "../config/ids.ts";
import { foldersOf } from "../config/paths.ts";
import { choices as settingChoices } from "../config/settings.ts";
import { openStore } from "../config/store.ts";
import { oneLine } from "../io/text.ts";
import { find, named, spelledOut } from "./find.ts";
import { type GlobalFlag, globalFlags, leadingWords } from "./globals.ts";
import { overview } from "./help/overview.ts";
import { type TreeCommand, tree } from "./tree.ts";

type Line = readonly [word: string, summary: string];
type Env = Readonly<Record<string, string | undefined>>;

const foldersFor = (env: Env, platform: string) => foldersOf({ env, platform, systemHome: () => userInfo().homedir });

const startsWith = (path: readonly string[], words: readonly string[]) => words.every((word, i) => path[i] === word);

/** The command that `words` begin with, and how many words stand behind its name. */
function commandOf(words: readonly string[]): { command?: TreeCommand; given: number } {
  const found = find(spelledOut(words, overview.groups), named(tree.commands));
  return "command" in found ? { command: found.command.described, given: found.rest.length } : { given: words.length };
}

function nextWords(words: readonly string[]): Line[] {
  const known = spelledOut(words, overview.groups);
  const nouns = new Map(overview.groups.map(({ name, summary }) => [name, summary]));
  const found = new Map<string, string>();
  for (const { path, summary } of tree.commands) {
    const next = path[known.length];
    if (next === undefined || !startsWith(path, known)) continue;
    const whole = path.length === known.length + 1;
    found.set(next, whole ? summary : (known.length === 0 && nouns.get(next)) || `${next} …`);
  }
  return [...found];
}

function flagLines(command: TreeCommand | undefined): Line[] {
  const own = (command?.flags ?? []).map(({ name, summary }): Line => [`--${name}`, summary]);
  return [...own, ...(globalFlags as readonly GlobalFlag[]).map(({ name, summary }): Line => [`--${name}`, summary])];
}

/** Cached lists that hold ids for an argument. Default: the lists named like the argument and its plural. */
const listsOf: Readonly<Record<string, readonly string[]>> = { slot: ["slots", "submissions"], slots: ["slots", "submissions"] };

function idLines(arg: string, env: Env, platform: string): Line[] {
  const entries = openIdCache(foldersFor(env, platform).cache).all();
  const lists = listsOf[arg] ?? [arg, `${arg}s`];
  const fitting = entries.filter(({ key }) => lists.includes(key));
  const offered = fitting.length > 0 ? fitting : entries;
  return offered.map(({ id, key, label }): Line => [id.slice(-8), `${key} ${label}`.trim()]);
}

/** Completions for the value of `flag`. Undefined: the flag takes no value. */
function valueLines(command: TreeCommand | undefined, flag: string, env: Env, platform: string): Line[] | undefined {
  const known: readonly (GlobalFlag & { choices?: readonly string[] })[] = [...(command?.flags ?? []), ...globalFlags];
  const found = known.find(({ name, short }) => `--${name}` === flag || (short !== undefined && `-${short}` === flag));
  if (!found?.value || found.value.startsWith("[")) return undefined;
  if (found.name === "profile")
    return Object.keys(openStore(foldersFor(env, platform).config).config().profiles).map((name) => [name, ""]);
  const choices = found.choices ?? settingChoices[found.name as keyof typeof settingChoices] ?? [];
  return choices.map((choice) => [choice, ""]);
}

function wordLines(words: readonly string[], env: Env, platform: string): Line[] {
  const { command, given } = commandOf(words);
  const arg = command?.args[given] ?? (command?.args.at(-1)?.variadic ? command.args.at(-1) : undefined);
  const choices = (arg?.choices ?? []).map((choice): Line => [choice, ""]);
  return [...nextWords(words), ...choices, ...(arg?.id ? idLines(arg.name, env, platform) : [])];
}

/** Completions for the last, unfinished word. Uses only the static command tree and the local id cache, never the network. */
export function complete(typed: readonly string[], env: Env, platform: string): Line[] {
  const last = typed.at(-1) ?? "";
  const before = typed.slice(0, -1);
  const words = leadingWords(before, 9);
  const { command } = commandOf(words);
  const joined = /^(--[\w-]+=)(.*)$/.exec(last);
  if (joined) {
    const [, flag = "", start = ""] = joined;
    const values = valueLines(command, flag.slice(0, -1), env, platform) ?? [];
    return values.filter(([value]) => value.startsWith(start)).map(([value, summary]): Line => [flag + value, summary]);
  }
  // bash splits words at `=`, so `--flag=value` arrives as three words.
  const apart = before.at(-1) === "=" ? before.at(-2) : last === "=" ? before.at(-1) : undefined;
  const start = last === "=" ? "" : last;
  const values = valueLines(command, apart ?? before.at(-1) ?? "", env, platform);
  const offered = values ?? (last.startsWith("-") ? flagLines(command) : wordLines(words, env, platform));
  return offered.filter(([word]) => word.startsWith(start));
}

/** Completions as text for a shell: one `word<TAB>summary` per line. */
export const completionText = (typed: readonly string[], env: Env, platform: string) =>
  complete(typed, env, platform)
    .map(([word, summary]) => `${oneLine(word)}\t${oneLine(summary)}\n`)
    .join("");
