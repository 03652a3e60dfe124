import { chapters } from "../../help/list.ts";
import { fold } from "../../io/text.ts";
import { type GlobalFlag, globalFlags } from "../globals.ts";
import { overview, sections } from "./overview.ts";

const width = 30;
/** Columns of the narrowest usual terminal. */
export const terminalColumns = 80;

/** A help entry: a term and its meaning, in two columns. After a long term the meaning starts on the next line. */
export function row(left: string, right: string, most = terminalColumns): string {
  const gap = `\n${" ".repeat(width)}`;
  const meaning = fold(right, most - width).join(gap);
  return left.length < width - 3 ? `  ${left.padEnd(width - 2)}${meaning}` : `  ${left}${gap}${meaning}`;
}

/** A titled block of lines. Empty if there are no lines. */
export const section = (title: string, rows: readonly string[]) => (rows.length === 0 ? [] : [title, ...rows, ""]);

/** Whether a flag's values are too long to be shown beside its name. */
export const isLong = (value: string | undefined): value is string =>
  value !== undefined && !value.startsWith("[") && value.length > 60;

/** How help shows a flag, such as `-f, --from-file FILE`. */
export const spelled = ({ name, short, value }: Pick<GlobalFlag, "name" | "short" | "value">) => {
  const shown = value === undefined ? "" : value.startsWith("[") ? value : ` ${isLong(value) ? "VALUE" : value}`;
  return `${short ? `-${short}, ` : "    "}--${name}${shown}`;
};

/** Two columns, the second wrapped beside the first. */
export function columns(rows: readonly (readonly [string, string])[], most = terminalColumns): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, what]) => name.padEnd(width) + fold(what, most - width).join(`\n${" ".repeat(width)}`)).join("\n");
}

const list = (names: readonly string[]) => names.join(", ");

/** First steps of each kind of user, in the order in which they are taken. */
const firstSteps = [
  ["playtest login", "Sign in; `playtest auth register` creates an account"],
  ["playtest push build", "Upload a build of your game"],
  ["playtest order", "Order playtests of it"],
  ["playtest review next", "Watch, accept or reject the submitted videos"],
] as const;

/** The top-level help. It fits on a terminal of 24 lines and 80 columns, with the next prompt. */
export function rootHelp(): string {
  const commands = [...overview.groups, ...overview.tops];
  const flags = (globalFlags as readonly GlobalFlag[]).filter((flag) => flag.common);
  const named = Object.entries(sections).map(
    ([name, title]) =>
      [title, list(commands.filter((command) => command.section === name).map((command) => command.name))] as const,
  );
  return [
    "Order playtests of your game, review the videos, or run your own server.",
    "",
    "Usage: playtest <command> [subcommand] [arguments] [flags]",
    "",
    columns([
      ...named,
      ["Shortcuts", list(overview.shortcuts.map(({ name }) => name))],
      [
        "Common flags",
        list(
          flags.map((flag) =>
            spelled(flag)
              .trim()
              .replace(/^-\w, /, ""),
          ),
        ),
      ],
    ]),
    "",
    "First steps",
    columns(firstSteps.map(([command, what]) => [`  ${command}`, what] as const)),
    "",
    "`playtest <command> --help` explains a command. `playtest help --tree` lists all",
    "commands, and `playtest help topics` the guides, such as getting-started.",
    "",
  ].join("\n");
}

/** The help topics with their summaries, by chapter. */
export const topicsHelp = () =>
  [
    ...chapters.flatMap(({ title, topics }) =>
      section(
        title,
        topics.map(([name, summary]) => row(name, summary)),
      ),
    ),
    "Run `playtest help TOPIC` to read one.",
    "",
  ].join("\n");
