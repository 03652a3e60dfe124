import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { codeOf } from "./connection.ts";

/**
 * One server process per data file. The lock is SQLite's own write lock on an empty file beside it: the operating system
 * drops it when its process dies, so nothing goes stale, and a recycled process number or a container's pid 1 cannot
 * deceive it. The `.pid` file only lets the error name the holder. The lock file stays: removing it would let two
 * processes hold locks on two files of one name.
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
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    rmSync(pidFile, { force: true });
    lock.close();
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
