import { CliError, failure } from "../errors.ts";
import type { Io } from "../io/io.ts";
import type { Outside } from "./context.ts";
import type { Command } from "./define.ts";
import { commandCalled, find, type Named } from "./find.ts";
import { type GlobalFlag, type GlobalValues, globalFlags, leadingWords } from "./globals.ts";
import { commandsAt, type GroupEntry, groups, nounCalled } from "./groups.ts";
import type { FlagInfo } from "./parse.ts";
import type { Session } from "./session/index.ts";
import { unknownCommand } from "./unknown.ts";

/** What argv refers to: a command with its remaining arguments, or a help text to print. */
type Target = { command: Command; path: string; rest: string[]; noun?: GroupEntry } | { help: string };

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

async function commandTarget(command: Command, path: string, rest: string[], help: boolean): Promise<Target> {
  if (!help) return { command, path, rest };
  const { commandHelp } = await import("./help/command.ts");
  return { help: commandHelp(command, path) };
}

const isOwnFlag = (token: string | undefined) =>
  token?.startsWith("-") === true &&
  !(globalFlags as readonly GlobalFlag[]).some(({ name, short }) => token.split("=")[0] === `--${name}` || token === `-${short}`);

/** What may stand behind a beginning of names: the words of each name, and those of several words' first. */
const namesBehind = (commands: readonly Named[], start: string) => [
  ...new Set(commands.flatMap(({ name }) => [name.slice(start.length), name.slice(start.length).split(" ")[0]!])),
];

async function nounTarget(noun: GroupEntry, argv: readonly string[]): Promise<Target> {
  const { fallback } = await noun.load();
  const commands = await commandsAt(noun.name);
  const help = wantsHelp(argv);
  const [typed = "", ...verbs] = leadingWords(argv, 4);
  const target = async (name: string, words: readonly string[]): Promise<Target> =>
    commandTarget(await commandCalled(commands, name)!.load(), name, without(argv, words), help);
  // Which words after a subcommand's own flag are its value is not known yet, so such a flag belongs to the fallback.
  const flagFirst = isOwnFlag(argv[argv.indexOf(typed) + 1]);
  if (fallback && (verbs.length === 0 || flagFirst) && !help) return target(`${noun.name} ${fallback}`, [typed]);
  const found = find([noun.name, ...verbs], commands);
  const words = [typed, ...verbs.slice(0, verbs.length - found.rest.length)];
  if ("command" in found) return { ...(await target(found.command.name, words)), noun };
  const where = [noun.name, ...words.slice(1), ""].join(" ");
  const [word] = found.rest;
  if (word !== undefined) throw unknownCommand(argv, { word, where, known: namesBehind(found.group, where) });
  // A noun below a noun, such as `auth keys`, stands for its list, or else for its only item.
  const listing = ["list", "show"].find((verb) => !help && words.length > 1 && commandCalled(commands, where + verb));
  if (listing) return target(where + listing, words);
  const { groupHelp } = await import("./help/command.ts");
  const below = await Promise.all(found.group.map(({ load }) => load()));
  return { help: groupHelp(noun, below, words.length === 1 ? await noun.load() : undefined) };
}

/** Refuses a word behind a command that takes none, if it looks like another command: `admin users walk`, `sandbox clock advance`. */
async function refuseWord(word: string, path: string, noun: GroupEntry, argv: readonly string[]): Promise<void> {
  const commands = await commandsAt(noun.name);
  const where = `${path} `;
  const known = namesBehind(
    commands.filter(({ name }) => name.startsWith(where)),
    where,
  );
  if (known.length > 0)
    throw unknownCommand(argv, { word, where, known, otherwise: `Commands that begin with it: ${known.join(", ")}.` });
  const other = `${noun.name} ${word}`;
  if (commandCalled(commands, other)) throw unknownCommand(argv, { word, where, known, elsewhere: [other] });
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
  const noun = nounCalled(word);
  if (noun) return nounTarget(noun, argv);
  const found = find([word], await commandsAt(word));
  if ("command" in found)
    return commandTarget(await found.command.load(), word, without(argv, first === undefined ? [] : [word]), wantsHelp(argv));
  const known = [...groups, ...found.group].map(({ name }) => name);
  throw unknownCommand(argv, { word, where: "", known, elsewhere: await commandsCalled(word) });
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
  const { command, path, rest, noun } = target;
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
  if (word !== undefined && !command.args && noun) await refuseWord(word, path, noun, argv);
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
