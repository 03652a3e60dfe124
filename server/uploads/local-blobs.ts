import { copyFile, link, mkdir, open, opendir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Blobs, Copying } from "./blobs.ts";

export interface LocalBlobs extends Blobs {
  /** Whether it is a key that this program makes. */
  isKey(key: string): boolean;
}

/** Stores blobs as files in `folder`, which must be on the same file system as the files given to `put`. */
export function createLocalBlobs(folder: string): LocalBlobs {
  const isKey = (key: string) => /^[a-z]+\/[0-9a-f-]{36}$/.test(key);
  const pathOf = (key: string) => {
    if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is not a valid blob key`);
    return join(folder, key);
  };

  const read: Blobs["read"] = async (key, range) => {
    try {
      const file = await open(pathOf(key));
      return file.createReadStream({ highWaterMark: 256 * 1024, ...range });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };

  async function lend(key: string, path: string, copying?: Copying): Promise<boolean> {
    const from = pathOf(key);
    try {
      await link(from, path);
    } catch (error) {
      // The same error says that the folder of `path` does not exist.
      const size = await sizeOf(from);
      if (isMissing(error) && size === undefined) return false;
      if (isMissing(error)) throw error;
      await copying?.beforeCopy(size ?? 0);
      // Not every file system has hard links.
      await copyFile(from, path);
    }
    return true;
  }

  return {
    isKey,
    async put(key, path) {
      const target = pathOf(key);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await flush(path);
      try {
        // Unlike `rename`, it replaces nothing.
        await link(path, target);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EEXIST") return false;
        if (code === "ENOENT" || (await sizeOf(target)) !== undefined) throw error;
        // Not every file system has hard links.
        await rename(path, target);
      }
      // The new name is durable only after its folder was flushed.
      await flush(dirname(target));
      await rm(path, { force: true });
      return true;
    },
    size: (key) => sizeOf(pathOf(key)),
    read,
    async text(key, range) {
      const contents = await read(key, range);
      return contents && text(contents);
    },
    lend,
    offer: async (key, path) =>
      (await lend(key, path)) ? { source: path, protocols: "file", close: async () => {} } : undefined,
    remove: (key) => rm(pathOf(key), { force: true }),
    async *list(kinds) {
      for (const kind of kinds)
        for await (const { name, bytes, changedAt } of filesIn(join(folder, kind)))
          if (isKey(`${kind}/${name}`)) yield { key: `${kind}/${name}`, size: bytes, writtenAt: changedAt };
    },
  };
}

export interface FoundFile {
  name: string;
  bytes: number;
  /** When it was last written (ms); of a folder, when its files were made. */
  changedAt: number;
}

/** The files and folders in a folder, which need not exist. What is removed meanwhile is left out. */
export async function* filesIn(folder: string): AsyncGenerator<FoundFile> {
  const entries = await opendir(folder).catch(unlessMissing);
  if (!entries) return;
  for await (const { name } of entries) {
    const found = await stat(join(folder, name)).catch(unlessMissing);
    if (found) yield { name, bytes: found.size, changedAt: found.mtimeMs };
  }
}

/** For `catch`: undefined where nothing is under the path. */
export function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** Waits until the contents of a file or folder are on the disk. */
export async function flush(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The size of a file in bytes; undefined when there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";
