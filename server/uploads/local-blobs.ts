import { copyFile, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import type { Blobs } from "./blobs.ts";

/** Stores blobs as files in `folder`, which must be on the same file system as the files given to `put`. */
export function createLocalBlobs(folder: string): Blobs {
  const pathOf = (key: string) => {
    if (!/^[a-z]+\/[0-9a-f-]{36}$/.test(key)) throw new Error(`${JSON.stringify(key)} is not a valid blob key`);
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

  return {
    async put(key, path) {
      const target = pathOf(key);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await flush(path);
      await rename(path, target);
      // The new name is durable only after its folder was flushed.
      await flush(dirname(target));
    },
    async size(key) {
      try {
        return (await stat(pathOf(key))).size;
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    read,
    async text(key, range) {
      const contents = await read(key, range);
      return contents && text(contents);
    },
    async lend(key, path) {
      const from = pathOf(key);
      try {
        await link(from, path);
      } catch (error) {
        if (isMissing(error)) throw error;
        // Not every file system has hard links.
        await copyFile(from, path);
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  };
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

export const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";
