import { nearest } from "../contract/text/nearest.ts";
import { CliError, failure, usage } from "../errors.ts";
import type { Io } from "../io/io.ts";
import type { Outside } from "./context.ts";
import type { Command, Group } from "./define.ts";
import {
  commandNamed,
  type GlobalFlag,
  type GlobalValues,
  globalFlags,
  leadingWords,
  selectFields,
  synonymOf,
} from "./globals.ts";
import { type GroupEntry, groups, shortcuts, topCommands } from "./groups.ts";
import type { FlagInfo } from "./parse.ts";
import type { Session } from "./session/index.ts";

/** What argv refers to: a command with its remaining arguments, or a help text to print. */
type Target = { command: Command; path: string; rest: string[]; entry?: GroupEntry } | { help: string };

const findGroup = (word: string) => groups.find(({ name, aliases }) => name === word || aliases.includes(word));
const findVerb = (group: Group, words: string) => commandNamed(group.commands, words);
const wantsHelp = (argv: readonly string[]) => {
  const end = argv.indexOf("--");
  return argv.some((token, i) => (token === "--help" || token === "-h") && (end < 0 || i < end));
};

/** argv without the first occurrence of each of `words`. */
function without(argv: readonly string[], words: readonly string[]): string[] {
  const rest = [...argv];
  for (const word of words) rest.splice(rest.indexOf(word), 1);
  return rest;
}

/** Refuses a command that does not exist. `where` is the path before the word, with a space behind it; `otherwise` the hint if no name is near. */
function unknown(
  word: string,
  known: readonly string[],
  where: string,
  argv: readonly string[],
  elsewhere: readonly string[] = [],
  otherwise = `See \`playtest ${where}--help\`.`,
) {
  const like = nearest(word, known) ?? (elsewhere.length === 0 ? synonymOf(word, known) : undefined);
  const starting = like === undefined ? known.filter((name) => name.startsWith(word)) : [like];
  const near = starting.length > 0 ? starting : elsewhere.map((path) => `\`playtest ${path}\``);
  const help = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : otherwise;
  const hint = argv[argv.indexOf(word) - 1] === "--json" ? selectFields(word) : help;
  return usage(`Unknown command ${JSON.stringify(`${where}${word}`)}.`, hint);
}

async function commandTarget(command: Command, path: string, rest: string[], help: boolean): Promise<Target> {
  if (!help) return { command, path, rest };
  const { commandHelp } = await import("./help/command.ts");
  return { help: commandHelp(command, path) };
}

/** The subcommand, of one to three words, that the words after a noun start with. */
function namedVerb(group: Group, words: readonly string[]) {
  for (let count = Math.min(words.length, 3); count > 0; count--) {
    const named = words.slice(0, count);
    const command = findVerb(group, named.join(" "));
    if (command) return { command, words: named };
  }
  return undefined;
}

const isOwnFlag = (token: string | undefined) =>
  token?.startsWith("-") === true &&
  !(globalFlags as readonly GlobalFlag[]).some(({ name, short }) => token.split("=")[0] === `--${name}` || token === `-${short}`);

/** The names of commands without what they begin with. Of those of two words, also the first word alone. */
const namesIn = (commands: readonly Command[], start = "") => [
  ...new Set(commands.flatMap(({ name }) => [name.slice(start.length), name.slice(start.length).split(" ")[0]!])),
];

/** What a noun below a noun, such as `auth keys`, stands for: its list, or else its only item. */
const listingOf = (group: Group, noun: string) => findVerb(group, `${noun} list`) ?? findVerb(group, `${noun} show`);

async function groupTarget(entry: GroupEntry, argv: readonly string[]): Promise<Target> {
  const group = await entry.load();
  const [noun = "", ...words] = leadingWords(argv, 4);
  const fallback = group.fallback && findVerb(group, group.fallback);
  // Which words after a subcommand's own flag are its value is not known yet, so such a flag belongs to the fallback.
  const flagFirst = isOwnFlag(argv[argv.indexOf(noun) + 1]);
  if (fallback && (words.length === 0 || flagFirst) && !wantsHelp(argv))
    return { command: fallback, path: `${entry.name} ${fallback.name}`, rest: without(argv, [noun]) };
  const named = namedVerb(group, words);
  if (named) {
    const path = `${entry.name} ${named.command.name}`;
    const target = await commandTarget(named.command, path, without(argv, [noun, ...named.words]), wantsHelp(argv));
    return { ...target, entry };
  }
  const [verb, second] = words;
  const below = group.commands.filter(({ name }) => verb === undefined || name.startsWith(`${verb} `));
  if (below.length === 0) throw unknown(verb!, namesIn(group.commands), `${entry.name} `, argv);
  if (second !== undefined) throw unknown(second, namesIn(below, `${verb} `), `${entry.name} ${verb} `, argv);
  const listing = verb === undefined || wantsHelp(argv) ? undefined : listingOf(group, verb);
  if (listing) return { command: listing, path: `${entry.name} ${listing.name}`, rest: without(argv, [noun, verb!]) };
  const { groupHelp } = await import("./help/command.ts");
  return { help: groupHelp(entry, below, verb === undefined ? group : undefined) };
}

/** Refuses a word behind a command that takes none, if it looks like another command: `admin users walk`, `sandbox clock advance`. */
async function refuseWord(word: string, { name }: Command, entry: GroupEntry, argv: readonly string[]): Promise<void> {
  const { commands } = await entry.load();
  const start = `${name} `;
  const below = namesIn(
    commands.filter((command) => command.name.startsWith(start)),
    start,
  );
  const where = `${entry.name} ${start}`;
  if (below.length > 0) throw unknown(word, below, where, argv, [], `Commands that begin with it: ${below.join(", ")}.`);
  if (commandNamed(commands, word)) throw unknown(word, [], where, argv, [`${entry.name} ${word}`]);
}

async function rootTarget(): Promise<Target> {
  const { rootHelp } = await import("./help/root.ts");
  return { help: rootHelp() };
}

/** Whether `playtest` without arguments shows the status instead of help: on a terminal, when a key is stored. */
async function showsStatus(io: Io, { systemHome }: Outside) {
  if (!io.terminal.stdout) return false;
  if (io.env.PLAYTEST_API_KEY) return true;
  const [{ openStore }, { foldersOf }] = await Promise.all([import("../config/store.ts"), import("../config/paths.ts")]);
  return openStore(foldersOf({ env: io.env, platform: io.platform, systemHome }).config).logins().length > 0;
}

/** The commands of all nouns whose verb is this word. */
async function commandsCalled(word: string): Promise<string[]> {
  const { tree } = await import("./tree.ts");
  const found = tree.commands.filter(({ path, aliases }) => path.length > 1 && [path.at(-1), ...aliases].includes(word));
  return found.slice(0, 3).map(({ path }) => path.join(" "));
}

/** Finds the command that argv refers to, loading nothing else. */
async function resolve(argv: readonly string[], io: Io, outside: Outside): Promise<Target> {
  const [first] = leadingWords(argv, 1);
  if (first === undefined && (wantsHelp(argv) || !(await showsStatus(io, outside)))) return rootTarget();
  const word = first ?? "status";
  const entry = findGroup(word);
  if (entry) return groupTarget(entry, argv);
  const top = [...topCommands, ...shortcuts].find(({ name }) => name === word);
  if (!top)
    throw unknown(
      word,
      [...groups, ...topCommands, ...shortcuts].map(({ name }) => name),
      "",
      argv,
      await commandsCalled(word),
    );
  return commandTarget(await top.load(), word, without(argv, first === undefined ? [] : [word]), wantsHelp(argv));
}

/** Asks for confirmation before a destructive command, unless the command opts out. */
async function confirmFirst(command: Command, input: Parameters<Command["run"]>[0], session: Session) {
  if (command.confirm === false || (command.risk !== "destroy" && !command.confirm)) return;
  const { confirm } = command;
  await session.ctx.confirm(confirm ? async () => confirm(input, session.ctx) : `${command.summary}. Are you sure?`);
}

/** Writing the output failed after a change succeeded. The error says so, so that nobody repeats the command. */
const outputFailed = (error: unknown) =>
  error instanceof CliError
    ? failure(`${error.message.replace(/\.$/, "")}. The command succeeded; only its output failed.`, error.extra.hint, error)
    : error;

/** State that `run` shares with its caller, so that a failure can be reported in the requested format. */
export interface Running {
  session?: Session;
  globals?: GlobalValues;
  /** The flags of the command, by which a report names the fields of its request. */
  flags?: readonly FlagInfo[];
  /** The arguments of the command, for the same. */
  args?: Command["args"];
  /** The argument behind a bare `--json`, which may have been meant as its fields. */
  afterJson?: string | undefined;
  /** The output is complete, whatever the exit code. */
  complete?: boolean;
}

/** Help for the terminal, if there is one. */
async function fitted(help: string, { terminal, columns }: Io): Promise<string> {
  if (!terminal.stdout) return help;
  const { narrowHelp } = await import("../help/narrow.ts");
  return narrowHelp(help, columns);
}

/** Runs one command line. Throws on failure. */
export async function run(argv: readonly string[], io: Io, outside: Outside, running: Running): Promise<void> {
  const answer = /^(-|__)/.test(argv[0] ?? "") ? await (await import("./quick.ts")).quick(argv, io.env, io.platform) : undefined;
  if (answer !== undefined) return io.out(argv[0] === "__complete" ? answer : await fitted(answer, io));
  const target = await resolve(argv, io, outside);
  if ("help" in target) return io.out(await fitted(target.help, io));
  const { command, path, rest, entry } = target;
  const [{ flagsOf, parseArgs }, { createSession }, { buildInput }] = await Promise.all([
    import("./parse.ts"),
    import("./session/index.ts"),
    import("./input.ts"),
  ]);
  running.flags = flagsOf(command);
  running.args = command.args;
  const parsed = parseArgs(command, rest, path);
  running.globals = parsed.globals;
  running.afterJson = parsed.afterJson;
  const [word] = parsed.words;
  if (word !== undefined && !command.args && entry) await refuseWord(word, command, entry, argv);
  // `login` reads it by itself, as what to store.
  if (parsed.globals.apiKeyFile === "-" && command.name !== "login")
    parsed.globals.apiKeyText = await io.readText("-", "--api-key-file");
  const session = createSession(io, parsed.globals, outside, command);
  running.session = session;
  const input = await buildInput(command, parsed, session.ctx);
  await session.ctx.out.check();
  const explain = async (error: unknown): Promise<never> => {
    throw (await import("./session/wrong-id.ts")).explainWrongId(error, command, input.args);
  };
  const outcome = await confirmFirst(command, input, session)
    .then(() => command.run(input, session.ctx))
    .catch(explain);
  if (!outcome) return;
  const changes = command.risk !== "local" && command.risk !== "read";
  await session.ctx.out.emit(outcome, changes).catch((error: unknown) => {
    if (changes) throw outputFailed(error);
    // Lists are fetched while they are printed.
    return explain(error);
  });
  if (!outcome.failure) return;
  running.complete = true;
  throw outcome.failure;
}
