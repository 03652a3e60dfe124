import { type FileHandle, open, readFile } from "node:fs/promises";
import { failure } from "../../errors.ts";

/** An append-only file of JSON lines, so that a program killed at any moment can tell what it had done. */
export interface Journal<T> {
  readonly path: string;
  /** Entries found when the journal was opened, in order. */
  readonly entries: readonly T[];
  append(entry: T): Promise<void>;
  close(): Promise<void>;
}

function parseLines<T>(text: string): T[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line.trim() === "" ? [] : [JSON.parse(line) as T];
    } catch {
      // Only a line that was cut off when the writer was killed is not JSON. It does not count.
      return [];
    }
  });
}

const missing = (error: unknown) => (error as { code?: string }).code === "ENOENT";

export async function openJournal<T>(path: string): Promise<Journal<T>> {
  const fail = (error: unknown): never => {
    throw failure(`Cannot use the journal ${path}: ${(error as Error).message}.`, "Pass another path with --journal.", error);
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
