import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Tree, valueAt } from "../../config/tree.ts";
import { names } from "./contents.ts";
import { type Archive, openArchive } from "./read.ts";

/** Settings that name a program which the server runs, by their names. */
export const programSettings = ["transcriber.command"];

/** A setting of an archive that would make the server run a program, and the program with its arguments. */
export interface Program {
  setting: string;
  command: string;
}

/** The programs that a server would run after a restore and that it does not run with the settings in `dataDir`. */
export async function newPrograms(archive: Archive, dataDir: string): Promise<Program[]> {
  const present = programsIn(await readFile(join(dataDir, names.config), "utf8").catch(() => undefined));
  return programsIn(await archive.text(names.config)).filter(
    (one) => !present.some(({ setting, command }) => setting === one.setting && command === one.command),
  );
}

/** As `newPrograms`, for the archive at a path. Throws as `openArchive` does. */
export async function newProgramsAt(path: string, dataDir: string): Promise<Program[]> {
  const archive = await openArchive(path);
  try {
    return await newPrograms(archive, dataDir);
  } finally {
    await archive.close();
  }
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
