import { nearest } from "../contract/text/nearest.ts";
import { type CliError, usage } from "../errors.ts";
import { selectFields } from "./globals.ts";

/** Words for one action, or one flag. What does not exist is suggested by the name that its noun, or command, uses. */
const synonyms: readonly (readonly string[])[] = [
  ["create", "add", "new", "make", "register"],
  ["delete", "remove", "rm", "del", "revoke", "cancel", "destroy"],
  ["show", "get", "view", "info", "describe", "inspect", "status"],
  ["list", "ls", "all", "index"],
  ["update", "edit", "set", "change", "modify"],
  ["accept", "approve", "ok", "confirm"],
  ["reject", "deny", "decline", "refuse"],
  ["order", "buy", "new", "create", "add"],
  ["push", "upload", "deploy", "publish"],
  ["login", "signin", "sign-in", "auth"],
  ["logout", "signout", "sign-out"],
  ["register", "signup", "sign-up"],
  ["download", "fetch", "pull"],
  ["run", "start", "up"],
  ["quantity", "qty", "slots", "count", "number"],
  ["yes", "force", "assume-yes"],
];

/** The name among `known` that means the same as `word`. */
export const synonymOf = (word: string, known: readonly string[]) =>
  synonyms.filter((set) => set.includes(word.toLowerCase())).flatMap((set) => set.filter((name) => known.includes(name)))[0];

/** A word that is no command. */
interface Unknown {
  word: string;
  /** The words before it, with a space behind them. */
  where: string;
  /** The words that could stand there. */
  known: readonly string[];
  /** Commands that it may mean in another place, if it is like no known word. */
  elsewhere?: readonly string[];
  /** What to do if it is like no command at all. Default: see the help of what stands before it. */
  otherwise?: string;
}

/** The error for a word of `argv` that is no command: the names that it may mean. */
export function unknownCommand(argv: readonly string[], { word, where, known, elsewhere = [], otherwise }: Unknown): CliError {
  const like = nearest(word, known) ?? (elsewhere.length === 0 ? synonymOf(word, known) : undefined);
  const starting = like === undefined ? known.filter((name) => name.startsWith(word)) : [like];
  const near = starting.length > 0 ? starting : elsewhere.map((path) => `\`playtest ${path}\``);
  const help = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : (otherwise ?? `See \`playtest ${where}--help\`.`);
  const hint = argv[argv.indexOf(word) - 1] === "--json" ? selectFields(word) : help;
  return usage(`Unknown command ${JSON.stringify(`${where}${word}`)}.`, hint);
}
