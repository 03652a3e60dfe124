import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withoutMark } from "../../src/contract/input/decode.ts";
import type { Fault } from "./check.ts";
import { defaults, variables } from "./defaults.ts";
import type { Config, Settings } from "./schema.ts";
import { setAt, type Tree, valueAt } from "./tree.ts";

/** A setting or flag is not valid, so the server does not start. `exitCode` is 2, as for an invalid flag. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly exitCode = 2;
}

type Env = Readonly<Record<string, string | undefined>>;

export interface ReadSettings {
  settings: Settings;
  /** The source of a setting: the name of an environment variable, the path of the file, or "default". */
  sourceOf(setting: string): string;
}

/** The defaults, overridden by the configuration file and then by the environment. Flags override these, in main.ts. */
export const readConfig = async (env: Env, dataDir: string, configFile: string | undefined): Promise<Config> => ({
  ...defaults,
  ...(await readSettings(env, dataDir, configFile)).settings,
});

/** Reads and checks the settings. Throws ConfigError with everything that is wrong. */
export async function readSettings(env: Env, dataDir: string, configFile: string | undefined): Promise<ReadSettings> {
  const file = configFile ?? join(dataDir, "config.json");
  const tree = readFile(file, configFile !== undefined);
  const applied = applyVariables(tree, env);
  const sourceOf = (setting: string) =>
    applied.get(setting) ?? (valueAt(tree, setting.split(".")) === undefined ? "default" : file);
  const label = (setting: string) => (applied.has(setting) ? `${setting} (${applied.get(setting)})` : setting);
  if (Object.keys(tree).length === 0) return { settings: structuredClone(defaults), sourceOf };
  const { checkSettings } = await import("./check.ts");
  const { settings, faults } = checkSettings(tree, label);
  if (faults.length > 0) throw new ConfigError(report(faults, sourceOf));
  return { settings, sourceOf };
}

function report(faults: readonly Fault[], sourceOf: (setting: string) => string): string {
  const sources = new Set(faults.flatMap(({ settings }) => settings.map(sourceOf)).filter((source) => source !== "default"));
  return [
    `The server cannot start: its configuration has ${faults.length === 1 ? "an error" : `${faults.length} errors`}.`,
    ...faults.map(({ message }) => `  ${message}`),
    `Correct ${[...sources].join(", ")}. \`playtest serve config\` describes every setting.`,
  ].join("\n");
}

function readFile(file: string, required: boolean): Tree {
  const text = readText(file, required);
  if (text === undefined) return {};
  const value = parse(text, file);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ConfigError(`The configuration file ${file} is not a JSON object. Nothing was changed. Correct it, or remove it.`);
  // Editors find the JSON Schema for the file by this field.
  const { $schema, ...tree } = value as Tree;
  return tree;
}

function readText(file: string, required: boolean): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (!required && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigError(
      `The configuration file ${file} cannot be read: ${(error as Error).message}. Nothing was changed. Correct the path or its permissions.`,
    );
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(withoutMark(text));
  } catch (error) {
    throw new ConfigError(
      `The configuration file ${file} is not valid JSON: ${(error as Error).message}. Nothing was changed. Correct it.`,
    );
  }
}

/** Puts the values of environment variables into the tree. Returns which variable sets which setting. Empty variables are ignored. */
function applyVariables(tree: Tree, env: Env): Map<string, string> {
  const applied = new Map<string, string>();
  for (const { name, variable, isList } of variables) {
    const text = env[variable];
    if (!text) continue;
    setAt(tree, name.split("."), isList ? text.split(",").map((entry) => entry.trim()) : text);
    applied.set(name, variable);
  }
  return applied;
}
