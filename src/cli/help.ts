import { operations } from "../contract/static.ts";
import { exitCodeMeanings } from "../errors.ts";
import type { Command } from "./define.ts";
import type { GroupEntry } from "./groups.ts";
import { type FlagInfo, flagsOf } from "./parse.ts";
import { fold, row, section, spelled } from "./root-help.ts";

/** Help texts, made from the same descriptions the parser uses. */

const flagRow = (flag: FlagInfo) => row(spelled(flag), `${flag.summary}${flag.required ? " (needed)" : ""}`);

/** `<game> [reason] [slot…]` of a command. */
export function argsUsage(command: Command): string {
  const words = Object.entries(command.args ?? {}).map(([name, { optional, variadic, setting }]) => {
    const shown = variadic ? `${name}…` : name;
    return optional || setting ? `[${shown}]` : `<${shown}>`;
  });
  return words.join(" ");
}

export function scopeText(command: Command): string {
  const access = command.operations.map((name) => operations[name].access);
  const names = access.flatMap((one) => {
    if (one === "none" || one === "optional") return [];
    if (one === "any") return ["any key"];
    if (one === "main") return ["the main scope of your role"];
    return "anyOf" in one ? [one.anyOf.join(" or ")] : [...one];
  });
  const unique = [...new Set(names)];
  const specific = unique.filter((name) => name !== "any key");
  return (specific.length > 0 ? specific : unique).join(", ") || "none";
}

const risks: Record<Command["risk"], string> = {
  local: "local (touches no server data)",
  read: "read",
  write: "write",
  spend: "spend (asks, or --yes or --max-cost)",
  destroy: "destroy",
};

function riskText(command: Command) {
  return command.risk === "destroy" && command.confirm !== false ? "destroy (asks, or --yes)" : risks[command.risk];
}

const common = [0, 1, 2];
const remote = [3, 4, 5, 6, 9, 10];

/** The exit codes a command can end with. */
export function exitsOf(command: Command): number[] {
  const risky = command.risk === "local" || command.risk === "read" ? [] : [12];
  const pays = command.risk === "spend" ? [7] : [];
  const all = [...common, ...(command.operations.length > 0 ? remote : []), ...risky, ...pays, ...(command.exits ?? [])];
  return [...new Set(all)].sort((a, b) => a - b);
}

export function commandHelp(command: Command, path: string): string {
  const args = Object.entries(command.args ?? {});
  const usageLine = ["playtest", path, argsUsage(command), "[flags]"].filter(Boolean).join(" ");
  const endpoints = command.operations.map((name) => `${operations[name].method} /api/v1${operations[name].path}`);
  const meanings = exitsOf(command).map((code) => `${code} ${exitCodeMeanings.find(([known]) => known === code)?.[1] ?? ""}`);
  return [
    command.summary,
    ...(command.description ? ["", ...fold(command.description)] : []),
    "",
    `Usage: ${usageLine}`,
    ...(command.aliases?.length ? [`Also: ${command.aliases.join(", ")}`] : []),
    "",
    ...section(
      "Arguments",
      args.map(([name, { summary }]) => row(name, summary)),
    ),
    ...section("Flags", flagsOf(command).map(flagRow)),
    ...section(
      "Examples",
      command.examples.map((example) => `  ${example}`),
    ),
    ...section("Good to know", [
      row("Scope", scopeText(command)),
      row("Risk", riskText(command)),
      ...endpoints.map((endpoint, i) => row(i === 0 ? "Calls" : "", endpoint, Number.POSITIVE_INFINITY)),
      row("Exit codes", meanings.join(", ")),
    ]),
    "Global flags (--json, --jq, --csv, --dry-run, …): `playtest help flags`.",
    "",
  ].join("\n");
}

export function groupHelp({ name, aliases, summary }: GroupEntry, commands: readonly Command[]): string {
  return [
    summary,
    "",
    `Usage: playtest ${name} <command> [flags]`,
    ...(aliases.length ? [`Also: ${aliases.join(", ")}`] : []),
    "",
    ...section(
      "Commands",
      commands.map((command) => row(`${command.name} ${argsUsage(command)}`.trim(), command.summary)),
    ),
    `More: \`playtest ${name} <command> --help\`.`,
    "",
  ].join("\n");
}
