/** A command by its whole name, such as `auth keys list`, and by what else it is called. */
export interface Named {
  name: string;
  aliases: readonly string[];
}

/** What the words of a command line begin with: a command, or else the commands whose names begin alike. `rest` are the words behind. */
export type Found<C> = { command: C; rest: string[] } | { group: C[]; rest: string[] };

/** The command of this name. `get`, the former name of `show`, still works and is mentioned nowhere. */
export function commandCalled<C extends Named>(commands: readonly C[], words: string): C | undefined {
  const called = (text: string) => commands.find(({ name, aliases }) => name === text || aliases.includes(text));
  return called(words) ?? (/ get$/.test(words) ? called(words.replace(/get$/, "show")) : undefined);
}

/** The words with the name of their noun in the place of its alias. */
export const spelledOut = (words: readonly string[], nouns: readonly Named[]) =>
  words.map((word, at) => (at === 0 && commandCalled(nouns, word)?.name) || word);

/** Finds the command with the longest name that the words begin with, or else the longest beginning that others have. */
export function find<C extends Named>(words: readonly string[], commands: readonly C[]): Found<C> {
  const beginnings = words.map((_, at) => words.slice(0, words.length - at));
  for (const beginning of beginnings) {
    const command = commandCalled(commands, beginning.join(" "));
    if (command) return { command, rest: words.slice(beginning.length) };
  }
  for (const beginning of beginnings) {
    const group = commands.filter(({ name }) => name.startsWith(`${beginning.join(" ")} `));
    if (group.length > 0) return { group, rest: words.slice(beginning.length) };
  }
  return { group: [...commands], rest: [...words] };
}

/** Commands as they are found: by their words, and by what else those behind the noun are called. */
export const named = <C extends { path: readonly string[]; aliases: readonly string[] }>(commands: readonly C[]) =>
  commands.map((described) => ({
    name: described.path.join(" "),
    aliases: described.path.length === 1 ? [] : described.aliases.map((alias) => `${described.path[0]} ${alias}`),
    described,
  }));
