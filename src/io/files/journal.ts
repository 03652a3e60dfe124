import { type FileHandle, open, readFile } from "node:fs/promises";
import { failure } from "../../errors.ts";

/** A file of JSON lines that only grows, so that a program killed at any moment finds what it had done. */
export interface Journal<T> {
  readonly path: string;
  /** What was there when it was opened, in order. */
  readonly entries: readonly T[];
  append(entry: T): Promise<void>;
  close(): Promise<void>;
}

function parseLines<T>(text: string): T[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line.trim() === "" ? [] : [JSON.parse(line) as T];
    } catch {
      // Only a line whose writer was killed half-way is not JSON: what it was to say did not happen here.
      return [];
    }
  });
}

const missing = (error: unknown) => (error as { code?: string }).code === "ENOENT";

export async function openJournal<T>(path: string): Promise<Journal<T>> {
  const fail = (error: unknown): never => {
    throw failure(
      `The journal ${path} cannot be used: ${(error as Error).message}.`,
      "Name another place with --journal.",
      error,
    );
  };
  const text = await readFile(path, "utf8").catch((error: unknown) => (missing(error) ? "" : fail(error)));
  const torn = text !== "" && !text.endsWith("\n");
  let opening: Promise<FileHandle> | undefined;

  async function start() {
    const handle = await open(path, "a", 0o600);
    if (torn) await handle.write("\n");
    return handle;
  }

  return {
    path,
    entries: parseLines<T>(text),
    async append(entry) {
      opening ??= start();
      const handle = await opening.catch(fail);
      await handle.write(`${JSON.stringify(entry)}\n`).catch(fail);
    },
    async close() {
      await (await opening)?.close();
    },
  };
}
