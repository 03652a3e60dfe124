import { lstatSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { cannotWrite, failure } from "../../errors.ts";

/** A file to write. Of a secret one, only its owner may read it. */
export interface NewFile {
  name: string;
  text: string;
  isSecret?: boolean;
}

/**
 * Writes files into a folder, which is made: all, or none. Never replaces one: it may hold what somebody changed, or the password of a
 * database.
 */
export async function writeNew(folder: string, files: readonly NewFile[]): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error) => Promise.reject(cannotWrite(folder, error as Error)));
  // Half of the files are of no use, and would be in the way of the next attempt.
  const existing = files.map(({ name }) => join(folder, name)).find(exists);
  if (existing !== undefined) throw notReplaced(existing);
  const made: string[] = [];
  try {
    for (const { name, text, isSecret } of files)
      await create(join(folder, name), text, isSecret ? 0o600 : 0o644, (path) => made.push(path));
  } catch (error) {
    await Promise.allSettled(made.map((path) => rm(path)));
    throw error;
  }
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw cannotWrite(path, error as Error);
  }
}

/** Calls `onMade` once the file is there, before it is written. */
async function create(path: string, text: string, mode: number, onMade: (path: string) => void): Promise<void> {
  try {
    const file = await open(path, "wx", mode);
    onMade(path);
    // Not by `open` alone, whose mode the umask reduces: a container reads some of these files as another user.
    await file
      .chmod(mode)
      .then(() => file.writeFile(text))
      .finally(() => file.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw notReplaced(path, error);
    throw cannotWrite(path, error as Error);
  }
}

const notReplaced = (path: string, cause?: unknown) =>
  failure(
    `${path} exists and was not replaced. Nothing was written.`,
    "Choose another folder with --to, or remove the file.",
    cause,
  );
