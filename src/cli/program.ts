import { CliError, failure, usage } from "../errors.ts";
import type { Io } from "../io/io.ts";
import type { Outside } from "./context.ts";
import type { Command, Group } from "./define.ts";
import { type GlobalFlag, type GlobalValues, globalFlags, leadingWords } from "./globals.ts";
import { type GroupEntry, groups, shortcuts, topCommands } from "./groups.ts";
import type { Session } from "./session.ts";

/** What argv refers to: a command with its remaining arguments, or a help text to print. */
type Target = { command: Command; path: string; rest: string[] } | { help: string };

const findGroup = (word: string) => groups.find(({ name, aliases }) => name === word || aliases.includes(word));
const findVerb = (group: Group, word: string) =>
  group.commands.find(({ name, aliases }) => name === word || aliases?.includes(word));
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

/** Edit distance, for "did you mean". */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

function unknown(word: string, known: readonly string[], where: string) {
  const near = known.filter((name) => distance(word, name) <= Math.max(1, Math.floor(name.length / 3)) || name.startsWith(word));
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `See \`playtest ${where}--help\`.`;
  return usage(`Unknown command ${JSON.stringify(`${where}${word}`)}.`, hint);
}

async function commandTarget(command: Command, path: string, rest: string[], help: boolean): Promise<Target> {
  if (!help) return { command, path, rest };
  const { commandHelp } = await import("./help.ts");
  return { help: commandHelp(command, path) };
}

/** The subcommand, of one or two words, that the words after a noun start with. */
function namedVerb(group: Group, words: readonly string[]) {
  const pair = words.length > 1 ? findVerb(group, `${words[0]} ${words[1]}`) : undefined;
  if (pair) return { command: pair, words: words.slice(0, 2) };
  const single = words[0] === undefined ? undefined : findVerb(group, words[0]);
  return single && { command: single, words: words.slice(0, 1) };
}

const isOwnFlag = (token: string | undefined) =>
  token?.startsWith("-") === true &&
  !(globalFlags as readonly GlobalFlag[]).some(({ name, short }) => token.split("=")[0] === `--${name}` || token === `-${short}`);

async function groupTarget(entry: GroupEntry, argv: readonly string[]): Promise<Target> {
  const group = await entry.load();
  const [noun = "", ...words] = leadingWords(argv, 3);
  const fallback = group.fallback && findVerb(group, group.fallback);
  // Which words after a subcommand's own flag are its value is not known yet, so such a flag belongs to the fallback.
  const flagFirst = isOwnFlag(argv[argv.indexOf(noun) + 1]);
  if (fallback && (words.length === 0 || flagFirst) && !wantsHelp(argv))
    return { command: fallback, path: entry.name, rest: without(argv, [noun]) };
  const named = namedVerb(group, words);
  if (named) {
    const path = `${entry.name} ${named.command.name}`;
    return commandTarget(named.command, path, without(argv, [noun, ...named.words]), wantsHelp(argv));
  }
  const below = group.commands.filter(({ name }) => words.length === 0 || name.startsWith(`${words[0]} `));
  if (below.length === 0)
    throw unknown(
      words[0]!,
      group.commands.map(({ name }) => name),
      `${entry.name} `,
    );
  const { groupHelp } = await import("./help.ts");
  return { help: groupHelp(entry, below) };
}

async function rootTarget(): Promise<Target> {
  const { rootHelp } = await import("./root-help.ts");
  return { help: rootHelp() };
}

/** Whether `playtest` without arguments shows the status instead of help: on a terminal, when a key is stored. */
async function showsStatus(io: Io) {
  if (!io.terminal.stdout) return false;
  const [{ openStore }, { configDir }] = await Promise.all([import("../config/store.ts"), import("../config/paths.ts")]);
  return Boolean(io.env.PLAYTEST_API_KEY) || Object.keys(openStore(configDir(io.env, io.platform)).keys()).length > 0;
}

/** Finds the command that argv refers to, loading nothing else. */
async function resolve(argv: readonly string[], io: Io): Promise<Target> {
  const [first] = leadingWords(argv, 1);
  if (first === undefined && (wantsHelp(argv) || !(await showsStatus(io)))) return rootTarget();
  const word = first ?? "status";
  const entry = findGroup(word);
  if (entry) return groupTarget(entry, argv);
  const top = [...topCommands, ...shortcuts].find(({ name }) => name === word);
  if (!top)
    throw unknown(
      word,
      [...groups, ...topCommands, ...shortcuts].map(({ name }) => name),
      "",
    );
  return commandTarget(await top.load(), word, without(argv, first === undefined ? [] : [word]), wantsHelp(argv));
}

/** Asks for confirmation before a destructive command, unless the command opts out. */
async function confirmFirst(command: Command, input: Parameters<Command["run"]>[0], session: Session) {
  if (command.confirm === false || (command.risk !== "destroy" && !command.confirm)) return;
  await session.ctx.confirm(command.confirm ? command.confirm(input) : `${command.summary}. Are you sure?`);
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
  /** The output is complete, whatever the exit code. */
  complete?: boolean;
}

/** Runs one command line. Throws on failure. */
export async function run(argv: readonly string[], io: Io, outside: Outside, running: Running): Promise<void> {
  const answer = /^(-|__)/.test(argv[0] ?? "") ? await (await import("./quick.ts")).quick(argv, io.env, io.platform) : undefined;
  if (answer !== undefined) return io.out(answer);
  const target = await resolve(argv, io);
  if ("help" in target) return io.out(target.help);
  const { command, path, rest } = target;
  const [{ parseArgs }, { createSession }, { buildInput }] = await Promise.all([
    import("./parse.ts"),
    import("./session.ts"),
    import("./input.ts"),
  ]);
  const parsed = parseArgs(command, rest, path);
  running.globals = parsed.globals;
  const session = createSession(io, parsed.globals, outside);
  running.session = session;
  const input = await buildInput(command, parsed, session.ctx);
  await session.ctx.out.check();
  await confirmFirst(command, input, session);
  const outcome = await command.run(input, session.ctx);
  if (!outcome) return;
  const changes = command.risk !== "local" && command.risk !== "read";
  await session.ctx.out.emit(outcome, changes).catch((error: unknown) => {
    throw changes ? outputFailed(error) : error;
  });
  if (!outcome.failure) return;
  running.complete = true;
  throw outcome.failure;
}
