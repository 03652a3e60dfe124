import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { cannotWrite, failure } from "../../errors.ts";

/** A file to write. Of a secret one, only its owner may read it. */
export interface NewFile {
  name: string;
  text: string;
  isSecret?: boolean;
}

/** Writes files into a folder, which is made. Never replaces one: it may hold what somebody changed, or the password of a database. */
export async function writeNew(folder: string, files: readonly NewFile[]): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error) => Promise.reject(cannotWrite(folder, error as Error)));
  for (const { name, text, isSecret } of files) await create(join(folder, name), text, isSecret ? 0o600 : 0o644);
}

async function create(path: string, text: string, mode: number): Promise<void> {
  try {
    const file = await open(path, "wx", mode);
    await file.writeFile(text).finally(() => file.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      throw failure(`${path} exists and was not replaced.`, "Choose another folder with --to, or remove the file.", error);
    throw cannotWrite(path, error as Error);
  }
}
