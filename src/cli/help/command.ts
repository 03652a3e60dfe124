import { operations } from "../../contract/static.ts";
import { exitCodeMeanings } from "../../errors.ts";
import { fold } from "../../io/text.ts";
import type { Command, Group } from "../define.ts";
import type { GroupEntry } from "../groups.ts";
import { type FlagInfo, flagsOf } from "../parse.ts";
import { columns, isLong, row, section, spelled, terminalColumns } from "./root.ts";

/** Help texts, generated from the same definitions that the parser uses. */

const flagRow = (flag: FlagInfo) =>
  row(
    spelled(flag),
    `${flag.summary}${flag.required ? " (required)" : ""}${isLong(flag.value) ? `: ${flag.value.replace(/[|,]/g, ", ")}` : ""}`,
  );

/** The arguments of a command, such as `<game> [reason] [slot…]`. */
export function argsUsage(command: Command): string {
  const words = Object.entries(command.args ?? {}).map(([name, { optional, variadic, setting, id }]) => {
    const shown = variadic ? `${name}…` : name;
    return optional || setting || id?.unless ? `[${shown}]` : `<${shown}>`;
  });
  return words.join(" ");
}

const anyKey = "any API key";

/** The API key scopes a command needs, in words. */
export function scopeText(command: Command): string {
  const access = command.operations.map((name) => operations[name].access);
  const names = access.flatMap((one) => {
    if (one === "none" || one === "optional") return [];
    if (one === "any") return [anyKey];
    if (one === "main") return ["the main scope of your role"];
    if (one === "every") return ["every scope of your account"];
    return "anyOf" in one ? [one.anyOf.join(" or ")] : [...one];
  });
  const unique = [...new Set(names)];
  const specific = unique.filter((name) => name !== anyKey);
  return (specific.length > 0 ? specific : unique).join(", ") || "none";
}

const risks: Record<Command["risk"], string> = {
  local: "local (changes nothing through the API)",
  read: "read",
  write: "write",
  spend: "spend",
  destroy: "destroy",
};

function riskText({ risk, confirm, asks, flags }: Command) {
  if (risk === "spend" && flags?.maxCost) return `${risks[risk]} (asks for confirmation; --yes or --max-cost skips the prompt)`;
  const prompts = asks || (confirm ?? risk === "destroy") !== false;
  return `${risks[risk]}${prompts ? " (asks for confirmation; --yes skips the prompt)" : ""}`;
}

const common = [0, 1, 2];
const remote = [3, 4, 5, 6, 9, 10];

/** The exit codes a command can return. */
export function exitsOf(command: Command): number[] {
  const risky = command.risk === "local" || command.risk === "read" ? [] : [12];
  const pays = command.risk === "spend" ? [7] : [];
  const all = [...common, ...(command.operations.length > 0 ? remote : []), ...risky, ...pays, ...(command.exits ?? [])];
  return [...new Set(all)].sort((a, b) => a - b);
}

/** An example, continued with backslashes if it is too long for one line. */
function exampleLines(example: string): string[] {
  // A flag stays on the line of the word after it, which may be its value.
  const words = example.match(/(?:--?[\w-]+ (?!-))?(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const lines = [`  ${words[0]}`];
  for (const word of words.slice(1)) {
    const longer = `${lines.at(-1)} ${word}`;
    // Leave room for the backslash.
    if (longer.length <= terminalColumns - 2) lines[lines.length - 1] = longer;
    else lines.push(`      ${word}`);
  }
  return lines.map((line, i) => (i < lines.length - 1 ? `${line} \\` : line));
}

/** An example in the words by which its command was called, such as those of a shortcut. */
const asCalled = ({ name }: Command, path: string) => {
  const written = new RegExp(`\\bplaytest (?:[\\w-]+ )?${name}(?= |$)`);
  return (example: string) => example.replace(written, `playtest ${path}`);
};

export function commandHelp(command: Command, path: string): string {
  const args = Object.entries(command.args ?? {});
  const usageLine = ["playtest", path, argsUsage(command), "[flags]"].filter(Boolean).join(" ");
  const endpoints = command.operations.map((name) => `${operations[name].method} /api/v1${operations[name].path}`);
  const meanings = exitsOf(command).map((code) => `${code} ${exitCodeMeanings.find(([known]) => known === code)?.[1] ?? ""}`);
  return [
    command.summary,
    ...(command.description ? ["", ...fold(command.description, terminalColumns)] : []),
    "",
    `Usage: ${usageLine}`,
    ...(command.aliases?.length ? [`Aliases: ${command.aliases.join(", ")}`] : []),
    "",
    ...section(
      "Arguments",
      args.map(([name, { summary }]) => row(name, summary)),
    ),
    ...section("Flags", flagsOf(command).map(flagRow)),
    ...section("Examples", command.examples.map(asCalled(command, path)).flatMap(exampleLines)),
    ...section("Details", [
      row("Scope", scopeText(command)),
      row("Risk", riskText(command)),
      row("Exit codes", meanings.join(", ")),
    ]),
    ...section(
      "API calls",
      endpoints.map((endpoint) => `  ${endpoint}`),
    ),
    "Run `playtest help flags` for the global flags, such as --json and --dry-run.",
    "",
  ].join("\n");
}

const commandRows = (commands: readonly Command[]) =>
  section(
    "Commands",
    commands.map((command) => row(`${command.name} ${argsUsage(command)}`.trim(), command.summary)),
  );

/** The help of a noun. `group`: the noun itself, if no subcommand was named. */
export function groupHelp({ name, aliases, summary }: GroupEntry, commands: readonly Command[], group?: Group): string {
  const { fallback: alone, about } = group ?? {};
  return [
    summary,
    "",
    `Usage: playtest ${name} ${alone ? "[command]" : "<command>"} [flags]`,
    ...(aliases.length ? [`Aliases: ${aliases.join(", ")}`] : []),
    ...(alone ? [`Without a command: playtest ${name} ${alone}`] : []),
    "",
    ...(about
      ? [columns([...about, ["Commands", commands.map((command) => command.name).join(", ")]]), ""]
      : commandRows(commands)),
    `Run \`playtest ${name} <command> --help\` for details of a command.`,
    "",
  ].join("\n");
}
