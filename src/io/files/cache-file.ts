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
    write: (value) =>
      done(() => {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(`${path}.part`, JSON.stringify(value), { mode: 0o600 });
        renameSync(`${path}.part`, path);
      }),
    remove: () => void done(() => rmSync(path, { force: true })),
  };
}
