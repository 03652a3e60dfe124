import { open } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ByteRange } from "../../http/range.ts";
import { ApiError } from "../../lib/api-error.ts";
import type { Blobs, Copying, Lent, Remote, StoredFile } from "../blobs.ts";
import { createLocalBlobs, type LocalBlobs, sizeOf } from "../local-blobs.ts";
import { Marks } from "./marks.ts";
import { Mover, type MoverOptions } from "./mover.ts";
import { Relay } from "./relay.ts";
import { tidy } from "./tidy.ts";
import { createUnfinished } from "./unfinished.ts";

export interface RemoteOptions extends Pick<MoverOptions, "log" | "wait" | "rows" | "bucket"> {
  dataDir: string;
  /** A new secret. */
  newToken(): string;
}

/** Where files wait in the data folder. */
export const spoolIn = (dataDir: string) => join(dataDir, "storing");

const stillStoring = () =>
  new ApiError(
    "SERVICE_UNAVAILABLE",
    "This file is still being stored by another process. Nothing was changed. Try again later.",
    {
      headers: { "Retry-After": "10" },
    },
  );

/** How many sizes are kept: stored files never change. */
const maxKnown = 10_000;

/**
 * Stores files in a bucket. What is put is durable on the local disk at once, where it waits until it was moved; a bucket that is away
 * delays only that. Files in the folder `blobs`, from before there was a bucket, are read there until `serve move-files` moved them.
 */
export class RemoteBlobs implements Blobs {
  readonly remote: Remote;
  readonly #options: RemoteOptions;
  readonly #spool: LocalBlobs;
  /** The files on the local disk: those that wait, and those from before. */
  readonly #local: readonly LocalBlobs[];
  readonly #marks: Marks;
  readonly #mover: Mover;
  readonly #relay: Relay;
  readonly #known = new Map<string, number>();

  constructor(options: RemoteOptions) {
    this.#options = options;
    const { bucket, dataDir, newToken } = options;
    const folder = spoolIn(dataDir);
    this.#spool = createLocalBlobs(folder);
    this.#local = [this.#spool, createLocalBlobs(join(dataDir, "blobs"))];
    this.#marks = new Marks(join(folder, "removed"));
    this.#mover = new Mover({ ...options, spool: this.#spool, folder, marks: this.#marks });
    this.#relay = new Relay(newToken);
    this.remote = {
      name: bucket.name,
      start: () => this.#mover.start(),
      stop: () => this.#stop(),
      waiting: () => this.#mover.waiting(),
      idle: () => this.#mover.idle(),
      isAbandoned: async (key) => (await options.rows.isAbandoned(key)) && (await bucket.find(key)) === undefined,
      forgetLost: () => options.rows.forget(),
      tidy: (before, isOpen) => tidy(bucket, before, isOpen),
      unfinished: createUnfinished(bucket),
    };
  }

  async put(key: string, path: string): Promise<boolean> {
    await this.#options.rows.add(key, (await sizeOf(path)) ?? 0);
    const stored = await this.#spool.put(key, path);
    this.#known.delete(key);
    this.#mover.wake();
    return stored;
  }

  async size(key: string): Promise<number | undefined> {
    const size = await this.#firstLocal((store) => store.size(key));
    if (size !== undefined || (await this.#marks.has(key))) return size;
    const there = this.#known.get(key) ?? (await this.#stored(key, () => this.#options.bucket.find(key)))?.size;
    if (there === undefined) return undefined;
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(key, there);
    return there;
  }

  async read(key: string, range?: ByteRange): Promise<Readable | undefined> {
    const local = await this.#firstLocal((store) => store.read(key, range));
    if (local || (await this.#marks.has(key))) return local;
    const bytes = await this.#stored(key, () => this.#options.bucket.read(key, range));
    if (bytes) return Readable.from(bytes, { objectMode: false, highWaterMark: 256 * 1024 });
    this.#known.delete(key);
    return undefined;
  }

  async text(key: string, range?: ByteRange): Promise<string | undefined> {
    const contents = await this.read(key, range);
    return contents && text(contents);
  }

  async lend(key: string, path: string, copying?: Copying): Promise<boolean> {
    if (await this.#lendLocal(key, path, copying)) return true;
    if (copying) await copying.beforeCopy((await this.size(key)) ?? 0);
    const contents = await this.read(key);
    if (!contents) return false;
    const file = await open(path, "wx", 0o600);
    await pipeline(contents, file.createWriteStream(), copying ? { signal: copying.signal } : {});
    return true;
  }

  async offer(key: string, path: string): Promise<Lent | undefined> {
    if (await this.#lendLocal(key, path)) return { source: path, protocols: "file", close: async () => {} };
    const size = await this.size(key);
    return size === undefined ? undefined : this.#relay.offer({ size, read: (range) => this.read(key, range) });
  }

  async remove(key: string): Promise<void> {
    // First, so that what is moved right now is removed as well.
    await this.#marks.add(key);
    this.#known.delete(key);
    for (const store of this.#local) await store.remove(key);
    // Again: the mover may have followed the first one, and then stored what was still here.
    await this.#marks.add(key);
    this.#mover.wake();
  }

  async *list(kinds: readonly string[]): AsyncGenerator<StoredFile> {
    const seen = new Set<string>();
    for (const store of this.#local)
      for await (const file of store.list(kinds)) {
        if (!seen.has(file.key)) yield file;
        seen.add(file.key);
      }
    const { bucket } = this.#options;
    for await (const file of bucket.list(kinds.map((kind) => `${kind}/`)))
      if (!seen.has(file.key) && this.#spool.isKey(file.key) && !(await this.#marks.has(file.key))) yield file;
  }

  async #firstLocal<T>(look: (store: LocalBlobs) => Promise<T | undefined>): Promise<T | undefined> {
    for (const store of this.#local) {
      const found = await look(store);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #lendLocal = async (key: string, path: string, copying?: Copying) =>
    (await this.#firstLocal(async (store) => (await store.lend(key, path, copying)) || undefined)) ?? false;

  /** What the bucket says of a file. Throws where that waits on the disk of another process. */
  async #stored<T>(key: string, ask: () => Promise<T | undefined>): Promise<T | undefined> {
    const found = await ask();
    if (found !== undefined) return found;
    if (await this.#options.rows.isWaiting(key)) throw stillStoring();
    // The other process may have stored it after the first question.
    return ask();
  }

  async #stop(): Promise<void> {
    await this.#mover.stop();
    await this.#relay.close();
  }
}
