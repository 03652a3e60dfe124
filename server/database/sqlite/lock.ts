import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { codeOf } from "./connection.ts";

/** The locks of this process. One that nothing refers to would be closed, and so released, when its memory is collected. */
const held = new Set<Database>();

/**
 * Ensures one server process per data file. The lock is SQLite's own write lock on an empty file beside it. The operating system
 * releases it when the process dies, so it cannot become stale, and reused process ids or pid 1 in containers do not matter. The `.pid`
 * file only lets the error name the holder. The lock file is not removed: otherwise two processes could lock two files of the same name.
 */
export function lockDataFile(file: string, open: (path: string) => Database): () => void {
  closeSync(openSync(`${file}.lock`, "a", 0o600));
  const lock = open(`${file}.lock`);
  const pidFile = `${file}.pid`;
  try {
    lock.pragma("busy_timeout = 0");
    lock.exec("BEGIN IMMEDIATE");
  } catch (error) {
    lock.close();
    throw codeOf(error)?.startsWith("SQLITE_BUSY") ? inUse(file, readPid(pidFile), error) : error;
  }
  held.add(lock);
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    rmSync(pidFile, { force: true });
    lock.close();
    held.delete(lock);
  };
}

function inUse(file: string, pid: string, cause: unknown): Error {
  const text = `${file} is in use by another playtest server (process ${pid}). Nothing was changed.`;
  return new Error(`${text} Stop that process, or choose another folder with --data.`, { cause });
}

function readPid(pidFile: string): string {
  try {
    return readFileSync(pidFile, "utf8").trim() || "just starting";
  } catch {
    return "just starting";
  }
}
