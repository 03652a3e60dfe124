import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Tree, valueAt } from "../../config/tree.ts";
import { names } from "./contents.ts";
import { type Archive, openArchive } from "./read.ts";

/** Settings that name a program which the server runs, by their names. */
export const programSettings = ["transcriber.command", "clips.ffmpeg"];

/** A setting of an archive that would make the server run a program, and the program with its arguments. */
export interface Program {
  setting: string;
  command: string;
}

/** Where a server has its settings: in the file that `--config` names, or in its data folder. */
interface Settings {
  dataDir: string;
  config?: string | undefined;
}

/** The programs that a server would run after a restore and that it does not run with its settings. */
export async function newPrograms(archive: Archive, server: Settings): Promise<Program[]> {
  const present = programsIn(await configOf(server));
  return programsIn(await archive.text(names.config)).filter(
    (one) => !present.some(({ setting, command }) => setting === one.setting && command === one.command),
  );
}

/** What a restore changes in the configuration. */
export interface ConfigChanges {
  programs: Program[];
  /** The names of all settings that are not as they are on the server, sorted. */
  settings: string[];
}

/** What the archive at a path would change in the configuration. Throws as `openArchive` does. */
export async function configChangesAt(path: string, server: Settings): Promise<ConfigChanges> {
  const archive = await openArchive(path);
  try {
    const [before, after] = [leavesOf(await configOf(server)), leavesOf(await archive.text(names.config))];
    const settings = [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
    return { programs: await newPrograms(archive, server), settings: settings.sort() };
  } finally {
    await archive.close();
  }
}

const configOf = ({ dataDir, config }: Settings) =>
  readFile(config ?? join(dataDir, names.config), "utf8").catch(() => undefined);

/** The values of a configuration as JSON, by their dotted names. */
function leavesOf(config: string | undefined): Map<string, string> {
  const leaves = new Map<string, string>();
  const add = (value: unknown, path: readonly string[]): void => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) leaves.set(path.join("."), JSON.stringify(value));
    else for (const [key, inner] of Object.entries(value)) add(inner, [...path, key]);
  };
  add(parsed(config), []);
  return leaves;
}

/** A configuration that cannot be read runs nothing: the server does not start with it. */
function programsIn(config: string | undefined): Program[] {
  const tree = parsed(config);
  return programSettings.flatMap((setting) => {
    const value = valueAt(tree, setting.split("."));
    return value === undefined || (Array.isArray(value) && value.length === 0)
      ? []
      : [{ setting, command: JSON.stringify(value) }];
  });
}

function parsed(text: string | undefined): Tree {
  try {
    return JSON.parse(text ?? "{}") as Tree;
  } catch {
    return {};
  }
}
