import type { Command } from "../src/cli/define.ts";
import { globalFlags } from "../src/cli/globals.ts";
import { groups, shortcuts, topCommands } from "../src/cli/groups.ts";
import { argsUsage, exitsOf, scopeText } from "../src/cli/help.ts";
import { flagsOf } from "../src/cli/parse.ts";
import { spelled } from "../src/cli/root-help.ts";
import { version } from "../src/cli/version.ts";
import { topics } from "../src/commands/root/topics.ts";
import { exitCodeMeanings } from "../src/errors.ts";

/** Man pages from the same declarations that help and completion come from: one for the program and one for each noun. */

const characters: Record<string, string> = {
  "\\": "\\(rs",
  "-": "\\-",
  "'": "\\(aq",
  "`": "\\(ga",
  '"': "\\(dq",
  "^": "\\(ha",
  "~": "\\(ti",
};

/** Text that roff prints as it is: no character of it is an instruction, at the start of a line or within. */
export const roff = (text: string) =>
  text
    .replace(/[\\\-'`"^~]/g, (character) => characters[character]!)
    .replace(/[^\x20-\x7e\n]/gu, (character) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`)
    .replace(/^(?=\.)/gm, "\\&");

const sentence = (text: string) => (/[.:!?]$/.test(text) ? text : `${text}.`);
const paragraph = (text: string) => [".PP", roff(sentence(text))];
const term = (name: string, text: string) => [".TP", `.B ${roff(name)}`, roff(sentence(text))];
const verbatim = (lines: readonly string[]) =>
  lines.length === 0 ? [] : [".PP", ".RS 4", ".EX", ...lines.map(roff), ".EE", ".RE"];
const flagTerms = (flags: readonly { name: string; short?: string; value?: string; summary: string }[]) =>
  flags.flatMap((flag) => term(spelled(flag).trim(), flag.summary));

function commandSection(command: Command, path: string): string[] {
  const exits = exitsOf(command).map((code) => `${code} ${exitCodeMeanings.find(([known]) => known === code)?.[1] ?? ""}`.trim());
  return [
    `.SS ${roff(["playtest", path, argsUsage(command)].join(" ").trim())}`,
    roff(sentence(command.summary)),
    ...(command.description ? paragraph(command.description) : []),
    ...Object.entries(command.args ?? {}).flatMap(([name, { summary }]) => term(name, summary)),
    ...flagTerms(flagsOf(command)),
    ...verbatim(command.examples),
    ...paragraph(`Scope: ${scopeText(command)}. Risk: ${command.risk}. Exit codes: ${exits.join(", ")}`),
  ];
}

const head = (name: string, summary: string, synopsis: string) => [
  `.TH ${roff(name.toUpperCase())} 1 "" "playtest ${version}" "playtest manual"`,
  ".SH NAME",
  `${roff(name)} \\- ${roff(summary)}`,
  ".SH SYNOPSIS",
  `.B ${roff(synopsis)}`,
];
const page = (lines: readonly string[]) => `${lines.join("\n")}\n`;

async function programPage(): Promise<string> {
  const tops = await Promise.all(topCommands.map(async ({ name, load }) => commandSection(await load(), name)));
  return page([
    ...head("playtest", "order playtests, review the videos, pay the players", "playtest <noun> <verb> [arguments] [flags]"),
    ".SH DESCRIPTION",
    roff("Each noun has a page of its own, such as playtest-games(1)."),
    ...groups.flatMap(({ name, aliases, summary }) => term([name, ...aliases].join(", "), summary)),
    ...paragraph("Short ways to verbs used often:"),
    ...shortcuts.flatMap(({ name, summary }) => term(name, `playtest ${summary}`)),
    ".SH COMMANDS",
    ...tops.flat(),
    ".SH GLOBAL FLAGS",
    ...flagTerms(globalFlags),
    ".SH EXIT STATUS",
    ...exitCodeMeanings.flatMap(([code, meaning, also]) => term(`${code}`, `${meaning}; ${also}`)),
    ".SH ENVIRONMENT",
    ...verbatim(topics.environment!().split("\n")).slice(1),
    ...["ids", "output", "money"].flatMap((topic) => [`.SH ${topic.toUpperCase()}`, roff(topics[topic]!())]),
  ]);
}

/** Every page, by the name of its file. */
export async function manPages(): Promise<Map<string, string>> {
  const pages = new Map([["playtest.1", await programPage()]]);
  for (const { name, aliases, summary, load } of groups) {
    const { commands } = await load();
    const also = aliases.length > 0 ? paragraph(`Also called: ${aliases.join(", ")}`) : [];
    pages.set(
      `playtest-${name}.1`,
      page([
        ...head(`playtest-${name}`, summary, `playtest ${name} <command> [flags]`),
        ...also,
        ".SH COMMANDS",
        ...commands.flatMap((command) => commandSection(command, `${name} ${command.name}`)),
        ".SH SEE ALSO",
        roff("playtest(1) for the flags every command takes, exit codes and the environment."),
      ]),
    );
  }
  return pages;
}
