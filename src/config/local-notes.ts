import { mkdir, open, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { sha256 } from "../contract/hash/sha256.ts";
import { cannotWrite, failure } from "../errors.ts";
import { readObject, type Store } from "./store.ts";

/** What is kept on this computer, in one file for each instance and profile. */
export interface LocalFile<T> {
  readonly path: string;
  read(): T[];
  /**
   * Replaces all of it by what `change` returns. No other command writes meanwhile, and a command that is killed leaves the file as it
   * was or as it becomes.
   */
  update(change: (kept: readonly T[]) => T[] | Promise<T[]>): Promise<void>;
}

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
    if (codeOf(error) !== "EEXIST") throw cannotWrite(guard, error as Error);
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

/** Runs `use` while this process holds the lock. */
async function locked<T>(lock: string, now: () => number, use: () => Promise<T>): Promise<T> {
  for (let left = (2 * staleMs) / pauseMs; ; left--) {
    try {
      await take(lock);
      break;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw cannotWrite(lock, error as Error);
      if (left === 0) throw failure(`Another command has locked ${lock}. Nothing was saved.`, "Try again.");
      const removed = (await isStale(lock, now())) && (await removeStale(lock, now()));
      if (!removed) await setTimeout(pauseMs);
    }
  }
  try {
    return await use();
  } finally {
    await rm(lock, { force: true });
  }
}

/** Opens what is kept of one kind for a profile, in the configuration directory. The name of the file says nothing about the instance. */
export function openLocal<T>(
  kind: "notes" | "findings" | "transcripts",
  store: Pick<Store, "directory" | "path">,
  { baseUrl, profile }: { baseUrl: string; profile: string },
  now: () => number,
): LocalFile<T> {
  const name = sha256().update(`${baseUrl}\n${profile}`).digest("hex").slice(0, 32);
  const pathOf = () => join(dirname(store.path), kind, `${name}.json`);
  const read = () => (store.directory === undefined ? [] : ((readObject(pathOf())?.[kind] ?? []) as T[]));

  async function update(change: (kept: readonly T[]) => T[] | Promise<T[]>) {
    const path = pathOf();
    const fail = (error: Error): never => {
      throw cannotWrite(path, error);
    };
    await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch(fail);
    await locked(`${path}.lock`, now, async () => {
      const kept = await change(read());
      if (kept.length === 0) return rm(path, { force: true }).catch(fail);
      await writeFile(`${path}.part`, `${JSON.stringify({ baseUrl, profile, [kind]: kept }, null, 2)}\n`, {
        mode: 0o600,
        flush: true,
      })
        .then(() => rename(`${path}.part`, path))
        .catch(fail);
    });
  }

  return {
    get path() {
      return pathOf();
    },
    read,
    update,
  };
}
