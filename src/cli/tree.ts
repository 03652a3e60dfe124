import type { Operation } from "../contract/index.ts";
import { operations } from "../contract/static.ts";
import { exitCodeMeanings } from "../errors.ts";
import type { Command } from "./define.ts";
import { groups, shortcuts, topCommands } from "./groups.ts";
import { exitsOf, scopeText } from "./help/command.ts";
import { type FlagInfo, flagsOf } from "./parse.ts";

/** All commands as data. A build evaluates this module once and ships the value, so that completion loads no command. */
export interface TreeCommand {
  path: string[];
  summary: string;
  aliases: string[];
  args: { name: string; summary: string; optional: boolean; variadic: boolean; id: boolean; choices?: readonly string[] }[];
  flags: FlagInfo[];
  scope: string;
  risk: string;
  endpoint: string[];
  exitCodes: number[];
  /** Operation whose request body it sends. */
  body: Operation | null;
}

const describe = (command: Command, path: string[]): TreeCommand => ({
  path,
  summary: command.summary,
  aliases: [...(command.aliases ?? [])],
  args: Object.entries(command.args ?? {}).map(([name, { summary, optional, variadic, setting, id, choices }]) => ({
    name,
    summary,
    optional: optional === true || setting !== undefined || id?.unless !== undefined,
    variadic: variadic === true,
    id: id !== undefined,
    ...(choices && { choices }),
  })),
  flags: flagsOf(command),
  scope: scopeText(command),
  risk: command.risk,
  endpoint: command.operations.map((name) => `${operations[name].method} /api/v1${operations[name].path}`),
  exitCodes: exitsOf(command),
  body: command.body ?? null,
});

async function allCommands() {
  const nouns = await Promise.all(
    groups.map(async ({ name, load }) =>
      (await load()).commands.map((command) => describe(command, [name, ...command.name.split(" ")])),
    ),
  );
  const tops = await Promise.all([...topCommands, ...shortcuts].map(async ({ name, load }) => describe(await load(), [name])));
  return [...nouns.flat(), ...tops];
}

export const tree = {
  commands: await allCommands(),
  exitCodes: Object.fromEntries(exitCodeMeanings.map(([code, meaning, also]) => [code, `${meaning}; ${also}`])),
};
