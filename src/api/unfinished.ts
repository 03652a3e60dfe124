import type { UploadOptions } from "tus-js-client";
import { sha256 } from "../contract/hash/sha256.ts";
import { cacheFile } from "../io/files/cache-file.ts";

type Storage = NonNullable<UploadOptions["urlStorage"]> & { forget(fingerprint: string): Promise<void> };
type Previous = Awaited<ReturnType<Storage["findUploadsByFingerprint"]>>[number];

/**
 * Stores the addresses of uploads that are unfinished or not used yet, one file each. The library's own storage is one file for all: a killed process can leave
 * it truncated or locked, and then no upload can start. Where nothing can be stored, an interrupted upload starts over.
 */
export function unfinishedUploads(directory: string | undefined): Storage {
  const fileOf = (name: string) => cacheFile(directory, name);
  const nameOf = (fingerprint: string) => `uploads/${sha256().update(fingerprint).digest("hex")}.json`;

  return {
    findAllUploads: async () => [],
    async findUploadsByFingerprint(fingerprint) {
      const urlStorageKey = nameOf(fingerprint);
      const stored = fileOf(urlStorageKey).read() as Previous | null | undefined;
      return stored ? [{ ...stored, urlStorageKey }] : [];
    },
    async addUpload(fingerprint, upload) {
      const name = nameOf(fingerprint);
      // The library removes nothing by an empty name.
      return fileOf(name).write(upload) ? name : "";
    },
    removeUpload: async (name) => fileOf(name).remove(),
    forget: async (fingerprint) => fileOf(nameOf(fingerprint)).remove(),
  };
}
