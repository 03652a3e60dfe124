import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A file of JSON that a command can do without, and that only its user can read. */
export interface CacheFile {
  /** Undefined if there is none, or none that can be read. */
  read(): unknown;
  /** Whether it was written. */
  write(value: object): boolean;
  remove(): void;
}

/** Whether it could be done: on a read-only disk, or without a home folder, nothing is kept. */
function done(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** Replaces the file in one step. The part file is this process's own: with a shared name, the rename of one of two processes would fail. */
function replaceFile(path: string, text: string): void {
  const part = `${path}.${process.pid}.part`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(part, text, { mode: 0o600 });
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

export function cacheFile(directory: string | undefined, name: string): CacheFile {
  if (directory === undefined) return { read: () => undefined, write: () => false, remove() {} };
  const path = join(directory, name);
  return {
    read() {
      try {
        return JSON.parse(readFileSync(path, "utf8"));
      } catch {
        return undefined;
      }
    },
    write: (value) => done(() => replaceFile(path, JSON.stringify(value))),
    remove: () => void done(() => rmSync(path, { force: true })),
  };
}
