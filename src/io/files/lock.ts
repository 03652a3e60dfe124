import { mkdir, open, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { CliError, cannotWrite, failure } from "../../errors.ts";
import { causeOf } from "./folder.ts";

/** The lock is held for milliseconds: an older one was left by a command that was killed. */
const staleMs = 10_000;
const pauseMs = 20;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

async function isStale(lock: string, now: number): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined);
  return found !== undefined && now - found.mtimeMs > staleMs;
}

const take = async (lock: string) => (await open(lock, "wx", 0o600)).close();

/**
 * Removes a lock that a killed command left. One command at a time does so, after another look: otherwise it would remove the lock that
 * another has taken since. True if it removed it.
 */
async function removeStale(lock: string, now: number): Promise<boolean> {
  const guard = `${lock}.stale`;
  try {
    await take(guard);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    if (await isStale(guard, now)) await rm(guard, { force: true });
    return false;
  }
  try {
    const stale = await isStale(lock, now);
    if (stale) await rm(lock, { force: true });
    return stale;
  } finally {
    await rm(guard, { force: true });
  }
}

async function takeOrWait(path: string, lock: string, now: () => number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (let left = (2 * staleMs) / pauseMs; ; left--) {
    try {
      return await take(lock);
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      if (left === 0) throw failure(`Another command has locked ${lock}. Nothing was saved.`, "Try again.");
      const removed = (await isStale(lock, now())) && (await removeStale(lock, now()));
      if (!removed) await setTimeout(pauseMs);
    }
  }
}

/**
 * Runs `use`, which reads a file, changes it and writes it whole, while no other command does the same. Creates the folder. `now` returns
 * the time of this computer's files in ms. Throws, with `hint`, if the file cannot be written, and where another command keeps the lock.
 */
export async function locked<T>(path: string, now: () => number, use: () => T | Promise<T>, hint?: string): Promise<T> {
  const lock = `${path}.lock`;
  try {
    await takeOrWait(path, lock, now);
  } catch (error) {
    throw error instanceof CliError ? error : cannotWrite(path, causeOf(path, error as Error), hint);
  }
  try {
    return await use();
  } finally {
    await rm(lock, { force: true });
  }
}
