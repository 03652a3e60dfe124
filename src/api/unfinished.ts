import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { UploadOptions } from "tus-js-client";

type Storage = NonNullable<UploadOptions["urlStorage"]>;

/**
 * Remembers where unfinished uploads are, a file for each: the library's own storage is one file for all, which a kill can leave cut
 * off or locked, and then no upload begins any more.
 */
export function unfinishedUploads(directory: string): Storage {
  const pathOf = (fingerprint: string) => join(directory, `${createHash("sha256").update(fingerprint).digest("hex")}.json`);

  return {
    findAllUploads: async () => [],
    async findUploadsByFingerprint(fingerprint) {
      const urlStorageKey = pathOf(fingerprint);
      try {
        return [{ ...JSON.parse(readFileSync(urlStorageKey, "utf8")), urlStorageKey }];
      } catch {
        // As good as none: the upload begins anew.
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
