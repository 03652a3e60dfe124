import type { Command } from "../src/cli/define.ts";
import { globalFlags } from "../src/cli/globals.ts";
import { groups, shortcuts, topCommands } from "../src/cli/groups.ts";
import { argsUsage, exitsOf, scopeText } from "../src/cli/help/command.ts";
import { spelled } from "../src/cli/help/root.ts";
import { flagsOf } from "../src/cli/parse.ts";
import { version } from "../src/cli/version.ts";
import { exitCodeMeanings } from "../src/errors.ts";
import { type Block, type Inline, plain } from "../src/help/document.ts";
import { isTopic, type TopicName, topicList } from "../src/help/list.ts";
import { topics } from "../src/help/topics.ts";

/**
 * Man pages: in section 1, one for the program and one for each noun, generated from the same definitions as help and completion; in
 * section 7, one for each help topic.
 */

const characters: Record<string, string> = {
  "\\": "\\(rs",
  "-": "\\-",
  "'": "\\(aq",
  "`": "\\(ga",
  '"': "\\(dq",
  "^": "\\(ha",
  "~": "\\(ti",
};

/** Escapes text for roff, so that it is printed unchanged. */
export const roff = (text: string) =>
  text
    .replace(/[\\\-'`"^~]/g, (character) => characters[character]!)
    .replace(/[^\x20-\x7e\n]/gu, (character) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`)
    .replace(/^(?=\.)/gm, "\\&");

const sentence = (text: string) => (/[.:!?]$/.test(text) ? text : `${text}.`);
const paragraph = (text: string) => [".PP", roff(sentence(text))];
const term = (name: string, text: string) => [".TP", `.B ${roff(name)}`, roff(sentence(text))];
const verbatim = (lines: readonly string[]) =>
  lines.length === 0 ? [] : [".PP", ".RS 4", ".EX", ...lines.map((line) => roff(line) || "\\&"), ".EE", ".RE"];
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

const title = (name: string, section: 1 | 7, summary: string) => [
  `.TH ${roff(name.toUpperCase())} ${section} "" "playtest ${version}" "playtest manual"`,
  ".SH NAME",
  `${roff(name)} \\- ${roff(summary)}`,
];
const head = (name: string, summary: string, synopsis: string) => [
  ...title(name, 1, summary),
  ".SH SYNOPSIS",
  `.B ${roff(synopsis)}`,
];
const page = (lines: readonly string[]) => `${lines.join("\n")}\n`;

async function programPage(): Promise<string> {
  const tops = await Promise.all(topCommands.map(async ({ name, load }) => commandSection(await load(), name)));
  return page([
    ...head("playtest", "order playtests of a game and review the videos", "playtest <command> <subcommand> [arguments] [flags]"),
    ".SH DESCRIPTION",
    roff("Each command group has its own page, such as playtest-games(1)."),
    ...groups.flatMap(({ name, aliases, summary }) => term([name, ...aliases].join(", "), summary)),
    ...paragraph("Shortcuts for frequent commands:"),
    ...shortcuts.flatMap(({ name, summary }) => term(name, `playtest ${summary}`)),
    ".SH COMMANDS",
    ...tops.flat(),
    ".SH GLOBAL FLAGS",
    ...flagTerms(globalFlags),
    ".SH EXIT STATUS",
    ...exitCodeMeanings.flatMap(([code, meaning, also]) => term(`${code}`, `${meaning}; ${also}`)),
    ".SH SEE ALSO",
    ...topicList.flatMap(({ name, summary }) => term(`playtest-${name}(7)`, summary)),
  ]);
}

function linkText(href: string, text: string): string {
  const topic = /^([\w-]+)\.md(#.*)?$/.exec(href)?.[1];
  if (topic !== undefined && isTopic(topic)) return `${text} (${bold(`playtest-${topic}(7)`)})`;
  return href.startsWith("#") || href === text ? text : `${text} (${roff(href)})`;
}

const bold = (text: string) => `\\fB${roff(text)}\\fR`;

/** Inline text on one line, with code and emphasis in bold. */
const inline = (parts: readonly Inline[]): string =>
  parts
    .map((part) => {
      if (part.kind === "text") return roff(part.text);
      if (part.kind === "link") return linkText(part.href, inline(part.parts));
      return bold(part.kind === "code" ? part.text : plain(part.parts));
    })
    .join("");

/** A table row as a term, its first cell, followed by the other cells, which are prefixed by their headers if there are several. */
function tableRow([first = [], ...rest]: readonly Inline[][], head: readonly Inline[][]): string[] {
  const named = rest.map((parts, i) => [rest.length > 1 ? `${roff(plain(head[i + 1]!))}: ` : "", inline(parts)] as const);
  const texts = named.filter(([, text]) => text !== "").map(([name, text]) => name + text);
  return [".TP", `.B ${roff(plain(first))}`, ...texts.flatMap((text, i) => (i === 0 ? [text] : [".br", text]))];
}

function blockLines(block: Block): string[] {
  switch (block.kind) {
    case "heading":
      return [`.SH ${roff(plain(block.parts).toUpperCase())}`];
    case "paragraph":
      return [".PP", inline(block.parts)];
    case "list":
      return block.items.flatMap((parts, i) => [`.IP ${block.ordered ? `${i + 1}.` : "\\(bu"} 3`, inline(parts)]);
    case "code":
      return verbatim(block.text.split("\n"));
    case "table":
      return block.rows.flatMap((row) => tableRow(row, block.head));
  }
}

const topicPage = (name: TopicName, summary: string) =>
  page([
    ...title(`playtest-${name}`, 7, summary),
    `.SH ${roff(topics[name].title.toUpperCase())}`,
    ...topics[name].blocks.flatMap(blockLines),
    ".SH SEE ALSO",
    roff("playtest(1)"),
  ]);

/** All man pages, by file name. */
export async function manPages(): Promise<Map<string, string>> {
  const pages = new Map([["playtest.1", await programPage()]]);
  for (const { name, aliases, summary, load } of groups) {
    const { commands } = await load();
    const also = aliases.length > 0 ? paragraph(`Aliases: ${aliases.join(", ")}`) : [];
    pages.set(
      `playtest-${name}.1`,
      page([
        ...head(`playtest-${name}`, summary, `playtest ${name} <command> [flags]`),
        ...also,
        ".SH COMMANDS",
        ...commands.flatMap((command) => commandSection(command, `${name} ${command.name}`)),
        ".SH SEE ALSO",
        roff("playtest(1) for global flags, exit codes and environment variables."),
      ]),
    );
  }
  for (const { name, summary } of topicList) pages.set(`playtest-${name}.7`, topicPage(name, summary));
  return pages;
}
