import { leadingWords } from "../../src/cli/globals.ts";
import { groups, shortcuts } from "../../src/cli/groups.ts";

const full = new Map(shortcuts.map(({ name, summary }) => [name, summary]));
const unalias = (word: string) => groups.find(({ aliases }) => aliases.includes(word))?.name ?? word;

/** The words of an example behind `playtest`, up to the shell's own part. */
export const exampleWords = (example: string): string[] => {
  const line = /\bplaytest (.*?)(?= [|<>#]|\)|$)/.exec(example)?.[1] ?? "";
  return [...line.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word);
};

/** The first words without aliases and shortcuts: `push x` is `games push`. */
export const spelledOut = (words: readonly string[]): string => {
  const [noun = "", ...verb] = leadingWords(words, 4);
  return full.get(noun) ?? [unalias(noun), ...verb].join(" ");
};

export const flagWords = (words: readonly string[]): string[] =>
  words.filter((one) => /^--?[a-z]/.test(one)).map((one) => one.split("=")[0]!);
