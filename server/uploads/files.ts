import { createHash } from "node:crypto";
import { constants, createReadStream, createWriteStream } from "node:fs";
import { copyFile, open, rename, rm, truncate, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { DataStore, ERRORS, Upload } from "@tus/server";
import { signatureBytes } from "../../src/contract/files/inspect-video.ts";
import type { Deps } from "../app/deps.ts";
import { RunningHashes } from "./hashes.ts";
import { flush, sizeOf } from "./local-blobs.ts";
import { requireFreeSpace } from "./room.ts";
import * as uploads from "./store.ts";

/** Bytes buffered for the disk. With a small buffer, receiving and writing would alternate instead of overlapping. */
const writeBufferBytes = 2 ** 20;

/** Who worked on an upload before. */
export type LastHolder = "none" | "this process" | "another process";

/** The files of unfinished uploads, named by upload id. Their metadata is in the table `uploads`, not beside the file. */
export class UploadFiles extends DataStore {
  readonly deps: Deps;
  readonly hashes = new RunningHashes();
  readonly #arriving = new Map<string, AsyncIterable<Uint8Array>>();
  /** The generations of the uploads that this process works on, where they are not 0. */
  readonly #generations = new Map<string, number>();

  constructor(deps: Deps) {
    super();
    this.extensions = ["creation", "creation-with-upload", "termination", "expiration", "checksum"];
    this.deps = deps;
  }

  /**
   * Gets the file of a generation ready. A process whose lease ran out may still write to the file of the generation before, so that
   * file is copied, and removed. Where another process had the upload, the file also gets what that process saved for others: what it did
   * not save the client sends again.
   */
  async open(id: string, generation: number, last: LastHolder): Promise<void> {
    await this.#take(id, generation);
    if (last === "none" || !this.#unfinished) return;
    if (last === "another process") await this.#unfinished.load(id, this.path(id)).catch(() => {});
    await this.#begin(id);
  }

  /** Lets the client send everything where no byte is here, unless the whole file is stored and only the record of it is missing. */
  async #begin(id: string): Promise<void> {
    if ((await this.received(id)) !== undefined) return;
    const row = await this.deps.store.read((q) => uploads.find(q, id));
    if (row?.status !== "open" || (await this.#isStored(uploads.blobKeyOf(row)))) return;
    await writeFile(this.path(id), "", { mode: 0o600 });
  }

  async #isStored(key: string): Promise<boolean> {
    const { blobs } = this.deps;
    return !(await blobs.remote?.isAbandoned(key)) && (await blobs.size(key)) !== undefined;
  }

  /** Keeps what arrived, as long as `goesOn` says so, where processes find it that share no folder with this one. */
  async save(id: string, goesOn: () => Promise<boolean>): Promise<void> {
    await this.#unfinished?.save(id, this.path(id), goesOn);
  }

  /** Removes a file of this process's own folder that other processes do not go on with: what was written last is no part of the upload. */
  async abandon(id: string): Promise<void> {
    if (this.#unfinished) await rm(this.path(id), { force: true });
  }

  get #unfinished() {
    return this.deps.store.shared ? this.deps.blobs.remote?.unfinished : undefined;
  }

  async #take(id: string, generation: number): Promise<void> {
    if (generation === 0) return;
    this.#generations.set(id, generation);
    if ((await this.received(id)) !== undefined) return;
    for (const path of uploads.pathsOf(this.deps.dataDir, id, generation - 1)) {
      const bytes = await sizeOf(path);
      if (bytes === undefined) continue;
      await requireFreeSpace(this.deps, bytes);
      const part = `${this.path(id)}.part`;
      await copyFile(path, part, constants.COPYFILE_FICLONE);
      await rename(part, this.path(id));
      break;
    }
    for (const path of uploads.pathsOf(this.deps.dataDir, id, generation - 1)) await rm(path, { force: true });
  }

  close(id: string): void {
    this.#generations.delete(id);
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.deps.store.read((q) => uploads.find(q, id));
    if (!row) throw ERRORS.FILE_NOT_FOUND;
    const offset = row.status === "completed" ? row.size : await this.received(id);
    if (offset === undefined) throw ERRORS.FILE_NO_LONGER_EXISTS;
    return new Upload(describe(row, offset));
  }

  override async create(upload: Upload): Promise<Upload> {
    await writeFile(this.path(upload.id), "", { mode: 0o600 });
    return upload;
  }

  override remove(id: string): Promise<void> {
    return this.drop(id);
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
    return offset + (await this.append(id, this.#arriving.get(id)!, { flags: "r+", start: offset }));
  }

  /** Writes `bytes` and returns how many there were. Afterwards, also when it throws, this process has the file open no longer. */
  async append(id: string, bytes: AsyncIterable<Uint8Array>, options: { flags: string; start: number }): Promise<number> {
    const file = createWriteStream(this.path(id), { ...options, mode: 0o600, highWaterMark: writeBufferBytes });
    const closed = new Promise<void>((resolve) => file.once("close", resolve));
    try {
      await pipeline(bytes, file);
    } finally {
      // A write that is in progress when the connection ends goes on for a while.
      await closed;
    }
    return file.bytesWritten;
  }

  path = (id: string) => uploads.pathOf(this.deps.dataDir, id, this.#generations.get(id));

  /** How many bytes were received; undefined when there is no file. */
  received = (id: string) => sizeOf(this.path(id));

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

  async drop(id: string): Promise<void> {
    this.hashes.forget(id);
    await rm(this.path(id), { force: true });
    // What stays there is swept.
    await this.#unfinished?.remove(id).catch(() => {});
  }
}

const describe = (row: uploads.UploadRow, offset: number) => ({
  id: row.id,
  size: row.size,
  offset,
  metadata: JSON.parse(row.metadata) as Record<string, string | null>,
  creation_date: new Date(row.created_at).toISOString(),
});
