import { topicList } from "../help/list.ts";
import { type GlobalFlag, globalFlags } from "./globals.ts";

const width = 30;
/** Columns of the narrowest usual terminal. */
export const whole = 80;

/** Wraps text at spaces. A word longer than the line is not broken. */
export function fold(text: string, most = whole): string[] {
  const folded: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = folded.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) folded[folded.length - 1] = `${last} ${word}`;
    else folded.push(word);
  }
  return folded;
}

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

export const globalFlagRows = () => (globalFlags as readonly GlobalFlag[]).map((flag) => row(spelled(flag), flag.summary));

interface Entry {
  name: string;
  summary: string;
  aliases?: readonly string[];
}

/** Two columns, the second wrapped beside the first. */
export function columns(rows: readonly (readonly [string, string])[], most = whole): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, what]) => name.padEnd(width) + fold(what, most - width).join(`\n${" ".repeat(width)}`)).join("\n");
}

/** The top-level help. */
export function rootHelp(groups: readonly Entry[], tops: readonly Entry[], shortcuts: readonly Entry[]): string {
  const named = ({ name, aliases = [] }: Entry) => [name, ...aliases].join(", ");
  const commands = [
    ...groups.map((group) => row(named(group), group.summary)),
    ...tops.map(({ name, summary }) => row(name, summary)),
  ];
  return [
    "Order playtests, review the videos, pay the players.",
    "",
    "Usage: playtest <noun> <verb> [arguments] [flags]",
    "",
    ...section("Commands", commands),
    ...section(
      "Shortcuts",
      shortcuts.map(({ name, summary }) => row(name, summary)),
    ),
    ...section("Global flags", globalFlagRows()),
    ...section(
      "Topics: `playtest help TOPIC`",
      topicList.map(({ name, summary }) => row(name, summary)),
    ),
    "More: `playtest <noun> --help`, `playtest help --tree`.",
    "",
  ].join("\n");
}
