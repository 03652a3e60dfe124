import { rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256 } from "../contract/hash/sha256.ts";
import { cannotWrite } from "../errors.ts";
import { locked } from "../io/files/lock.ts";
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
    await locked(path, now, async () => {
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
