import { openIdCache } from "./config/ids.ts";
import { cacheDir } from "./config/paths.ts";
import { type GlobalFlag, globalFlags, leadingWords } from "./globals.ts";
import { oneLine } from "./io/text.ts";
import { overview } from "./overview.ts";
import { type TreeCommand, tree } from "./tree.ts";

type Line = readonly [word: string, summary: string];
type Env = Readonly<Record<string, string | undefined>>;

const unalias = (word: string) => overview.groups.find(({ aliases }) => aliases.includes(word))?.name ?? word;
const startsWith = (path: readonly string[], words: readonly string[]) => words.every((word, i) => path[i] === word);

/** The command that the words name, the longest path first. */
function commandOf(words: readonly string[]): TreeCommand | undefined {
  const [noun = "", ...rest] = words;
  const named = [unalias(noun), ...rest];
  const matching = tree.commands.filter(({ path }) => startsWith(named, path));
  return matching.sort((a, b) => b.path.length - a.path.length)[0];
}

function nextWords(words: readonly string[]): Line[] {
  const known = words.map((word, i) => (i === 0 ? unalias(word) : word));
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

function idLines(env: Env, platform: string): Line[] {
  const cache = openIdCache(cacheDir(env, platform));
  return cache.all().map(({ id, key, label }): Line => [id.slice(-8), `${key} ${label}`.trim()]);
}

/** What can follow the words typed so far, the last of them unfinished; from the static tree and the local cache alone. */
export function complete(typed: readonly string[], env: Env, platform: string): Line[] {
  const last = typed.at(-1) ?? "";
  const before = typed.slice(0, -1);
  const words = leadingWords(before, 9);
  const command = commandOf(words);
  const previous = before.at(-1) ?? "";
  const choices = command?.flags.find(({ name, value }) => value && `--${name}` === previous)?.choices;
  if (choices) return choices.map((choice): Line => [choice, ""]).filter(([word]) => word.startsWith(last));
  const offered = last.startsWith("-")
    ? flagLines(command)
    : [...nextWords(words), ...(command?.args.some(({ id }) => id) ? idLines(env, platform) : [])];
  return offered.filter(([word]) => word.startsWith(last));
}

/** The lines for a shell: word, tab, summary. */
export const completionText = (typed: readonly string[], env: Env, platform: string) =>
  complete(typed, env, platform)
    .map(([word, summary]) => `${word}\t${oneLine(summary)}\n`)
    .join("");
