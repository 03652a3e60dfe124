import { chapters } from "../help/list.ts";
import { fold } from "../io/text.ts";
import { type GlobalFlag, globalFlags } from "./globals.ts";
import { overview, sections } from "./overview.ts";

const width = 30;
/** Columns of the narrowest usual terminal. */
export const whole = 80;

/** A help entry: a term and its meaning, in two columns. After a long term the meaning starts on the next line. */
export function row(left: string, right: string, most = whole): string {
  const gap = `\n${" ".repeat(width)}`;
  const meaning = fold(right, most - width).join(gap);
  return left.length < width - 3 ? `  ${left.padEnd(width - 2)}${meaning}` : `  ${left}${gap}${meaning}`;
}

/** A titled block of lines. Empty if there are no lines. */
export const section = (title: string, rows: readonly string[]) => (rows.length === 0 ? [] : [title, ...rows, ""]);

/** How help shows a flag, such as `-f, --from-file FILE`. */
export const spelled = ({ name, short, value }: Pick<GlobalFlag, "name" | "short" | "value">) => {
  const shown = value === undefined ? "" : value.startsWith("[") ? value : ` ${value.length > 60 ? "VALUE" : value}`;
  return `${short ? `-${short}, ` : "    "}--${name}${shown}`;
};

const flagRow = (flag: GlobalFlag) => row(spelled(flag), flag.summary);

/** Two columns, the second wrapped beside the first. */
export function columns(rows: readonly (readonly [string, string])[], most = whole): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, what]) => name.padEnd(width) + fold(what, most - width).join(`\n${" ".repeat(width)}`)).join("\n");
}

/** The top-level help. */
export function rootHelp(): string {
  const commands = [...overview.groups, ...overview.tops];
  const rows = (entries: readonly { name: string; summary: string }[]) => entries.map(({ name, summary }) => row(name, summary));
  const common = (globalFlags as readonly GlobalFlag[]).filter((flag) => flag.common);
  return [
    "Order playtests of your game, review the videos, or run your own server.",
    "",
    "Usage: playtest <command> <subcommand> [arguments] [flags]",
    "",
    ...Object.entries(sections).flatMap(([name, title]) =>
      section(title, rows(commands.filter((command) => command.section === name))),
    ),
    ...section("Shortcuts", rows(overview.shortcuts)),
    ...section("Common flags", common.map(flagRow)),
    ...section(
      "Help topics",
      chapters.map(({ title, topics }) => row(title, topics.map(([name]) => name).join(", "))),
    ),
    "Run `playtest <command> --help` for details of a command, `playtest help TOPIC`",
    "for a topic and `playtest help flags` for all global flags. New here? Start with",
    "`playtest help getting-started`.",
    "",
  ].join("\n");
}
