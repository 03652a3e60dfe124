import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rm, stat, truncate, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { FileStore } from "@tus/file-store";
import { Upload } from "@tus/server";
import { signatureBytes } from "../../src/contract/files/media.ts";
import type { Deps } from "../app/deps.ts";
import { RunningHashes } from "./hashes.ts";
import { flush, isMissing } from "./local-blobs.ts";
import * as uploads from "./store.ts";

/** Bytes buffered for the disk. With a small buffer, receiving and writing would alternate instead of overlapping. */
const writeBufferBytes = 2 ** 20;

/** The files of unfinished uploads, named by upload id. Their metadata is in the table `uploads`, not beside the file. */
export class UploadFiles extends FileStore {
  readonly deps: Deps;
  readonly hashes = new RunningHashes();
  readonly #arriving = new Map<string, AsyncIterable<Uint8Array>>();

  constructor(deps: Deps) {
    const known = async (id: string) => {
      const row = await deps.store.read((q) => uploads.find(q, id));
      return row && new Upload(describe(row, 0));
    };
    super({
      directory: uploads.folderOf(deps.dataDir),
      configstore: { get: known, set: async () => {}, delete: async () => {} },
    });
    this.extensions = ["creation", "creation-with-upload", "termination", "expiration", "checksum"];
    this.deps = deps;
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.deps.store.read((q) => uploads.find(q, id));
    return row?.status === "completed" ? new Upload(describe(row, row.size)) : super.getUpload(id);
  }

  override async create(upload: Upload): Promise<Upload> {
    await writeFile(this.path(upload.id), "", { mode: 0o600 });
    return upload;
  }

  /** Calls `use` and lets `write`, which the library calls meanwhile, take the bytes from `bytes`. */
  async withBytes<T>(id: string, bytes: AsyncIterable<Uint8Array>, use: () => Promise<T>): Promise<T> {
    this.#arriving.set(id, bytes);
    try {
      return await use();
    } finally {
      this.#arriving.delete(id);
    }
  }

  /**
   * Writes the bytes given to `withBytes` and returns the new end of the file. The stream that the library passes is empty: sending the
   * bytes through it halves the throughput.
   */
  override async write(_empty: unknown, id: string, offset: number): Promise<number> {
    const file = this.writer(id, { flags: "r+", start: offset });
    await pipeline(this.#arriving.get(id)!, file);
    return offset + file.bytesWritten;
  }

  writer = (id: string, options: { flags: string; start: number }) =>
    createWriteStream(this.path(id), { ...options, mode: 0o600, highWaterMark: writeBufferBytes });
  path = (id: string) => uploads.pathOf(this.deps.dataDir, id);

  /** How many bytes were received; undefined when there is no file. */
  async received(id: string): Promise<number | undefined> {
    try {
      return (await stat(this.path(id))).size;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** The first bytes that were received, at most `signatureBytes`. */
  async head(id: string): Promise<Buffer> {
    const file = await open(this.path(id));
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(signatureBytes), 0, signatureBytes, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  /** SHA-256 of all `size` bytes, in hex. */
  async sha256(id: string, size: number): Promise<string> {
    const known = this.hashes.take(id, size);
    if (known !== undefined) return known;
    const hash = createHash("sha256");
    await pipeline(createReadStream(this.path(id), { highWaterMark: 1024 * 1024 }), hash);
    return hash.digest("hex");
  }

  flush = (id: string) => flush(this.path(id));
  cutTo = (id: string, bytes: number) => truncate(this.path(id), bytes);

  drop(id: string): Promise<void> {
    this.hashes.forget(id);
    return rm(this.path(id), { force: true });
  }
}

/**
 * The library creates the folder in its constructor and does not wait for it. It is there already, and a server that stops at once may
 * have removed it by then. The method is private, so a class cannot override it.
 */
Object.defineProperty(UploadFiles.prototype, "checkOrCreateDirectory", { value: () => {} });

const describe = (row: uploads.UploadRow, offset: number) => ({
  id: row.id,
  size: row.size,
  offset,
  metadata: JSON.parse(row.metadata) as Record<string, string | null>,
  creation_date: new Date(row.created_at).toISOString(),
});
