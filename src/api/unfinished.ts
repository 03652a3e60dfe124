import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { UploadOptions } from "tus-js-client";
import { sha256 } from "../io/hash.ts";

type Storage = NonNullable<UploadOptions["urlStorage"]>;

/**
 * Stores the addresses of unfinished uploads, one file each. The library's own storage is one file for all: a killed process can leave
 * it truncated or locked, and then no upload can start.
 */
export function unfinishedUploads(directory: string): Storage {
  const pathOf = (fingerprint: string) => join(directory, `${sha256().update(fingerprint).digest("hex")}.json`);

  return {
    findAllUploads: async () => [],
    async findUploadsByFingerprint(fingerprint) {
      const urlStorageKey = pathOf(fingerprint);
      try {
        return [{ ...JSON.parse(readFileSync(urlStorageKey, "utf8")), urlStorageKey }];
      } catch {
        // No file, or an unreadable one: the upload starts over.
        return [];
      }
    },
    async addUpload(fingerprint, upload) {
      const path = pathOf(fingerprint);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.part`, JSON.stringify(upload), { mode: 0o600 });
      renameSync(`${path}.part`, path);
      return path;
    },
    removeUpload: async (path) => rmSync(path, { force: true }),
  };
}
