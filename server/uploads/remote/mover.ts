import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Log } from "../../lib/log.ts";
import { blobKinds } from "../blob-store.ts";
import type { StoredFile, Waiting } from "../blobs.ts";
import type { createLocalBlobs } from "../local-blobs.ts";
import { isMissing } from "../local-blobs.ts";
import type { Bucket } from "../s3/bucket.ts";
import type { Marks } from "./marks.ts";
import type { WaitingRows } from "./store.ts";

export interface MoverOptions {
  bucket: Bucket;
  /** Where files wait, and its folder. */
  spool: ReturnType<typeof createLocalBlobs>;
  folder: string;
  marks: Marks;
  rows: WaitingRows;
  log: Pick<Log, "info" | "warn" | "error">;
  /** Real milliseconds, or less when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<unknown>;
}

/** Files that are moved at once. */
const parallel = 2;
const firstPauseMs = 500;
/** How long (ms) a process that died keeps others from its folder. */
const leaseMs = 20_000;
const longestPauseMs = 60_000;
/** How long (ms) until it is asked again whether another process has stored what is to be removed. */
const deferredMs = 5_000;

/** Moves files from the spool to the bucket, and makes the removals there. The spool is the list of what is to be done, so a stop loses nothing. */
export class Mover {
  readonly #options: MoverOptions;
  readonly #stopped = new AbortController();
  #woken = new AbortController();
  #running: Promise<void> | undefined;
  #idle: (() => void)[] = [];
  #isFailing = false;
  /** Something waits for another process. */
  #isDeferred = false;
  /** Whether this process still moves the files of its folder. */
  #isHeld = () => !this.#stopped.signal.aborted;

  constructor(options: MoverOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the server is stopping"));
    this.#woken.abort();
    await this.#running;
    await this.#options.rows.leave();
  }

  wake(): void {
    this.#woken.abort();
  }

  /** Resolves when nothing is to be done. */
  async idle(): Promise<void> {
    const { files, removals } = await this.waiting();
    if (files + removals === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      this.wake();
    });
  }

  async waiting(): Promise<Waiting> {
    const sum = { files: 0, bytes: 0, removals: 0 };
    for await (const { size } of this.#options.spool.list(blobKinds)) {
      sum.files += 1;
      sum.bytes += size;
    }
    for await (const _ of this.#options.marks.keys()) sum.removals += 1;
    return sum;
  }

  async #run(): Promise<void> {
    const { wait } = this.#options;
    const { signal } = this.#stopped;
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      this.#woken = new AbortController();
      this.#isDeferred = false;
      const failed = await this.#round().catch((error) => this.#note(error, "*"));
      if (signal.aborted) return;
      pauseMs = failed ? Math.min(longestPauseMs, pauseMs * 2) : firstPauseMs;
      if (!failed && !this.#woken.signal.aborted && !this.#isDeferred) this.#settle();
      const goOnMs = this.#isDeferred ? deferredMs : longestPauseMs;
      // One that fails is not tried again at once because another file arrives.
      await wait(failed ? pauseMs : goOnMs, failed ? signal : this.#woken.signal).catch(() => {});
    }
  }

  #settle(): void {
    if (this.#isFailing) this.#options.log.info({}, "the storage of files answers again");
    this.#isFailing = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Does what is to be done, where no other process does it. True when something has to be tried again. */
  async #round(): Promise<boolean> {
    const { rows, spool } = this.#options;
    if (!(await rows.lead(leaseMs))) return true;
    let isLeading = true;
    const heartbeat = setInterval(async () => {
      isLeading = await rows.lead(leaseMs).catch(() => false);
    }, leaseMs / 4);
    this.#isHeld = () => isLeading && !this.#stopped.signal.aborted;
    try {
      for (const key of await rows.old()) if ((await spool.size(key)) === undefined) await rows.remove(key);
      return await this.#moveAll();
    } finally {
      clearInterval(heartbeat);
    }
  }

  async #moveAll(): Promise<boolean> {
    const { spool, marks } = this.#options;
    let failed = false;
    for await (const key of marks.keys()) failed = (await this.#attempt(key, () => this.#removed(key))) || failed;
    const files: StoredFile[] = [];
    for await (const file of spool.list(blobKinds)) files.push(file);
    // The small ones first: a caption does not wait for the videos of an hour.
    files.sort((a, b) => a.size - b.size);
    const next = async (): Promise<void> => {
      const file = files.shift();
      if (!file || !this.#isHeld()) return;
      failed = (await this.#attempt(file.key, () => this.#move(file.key))) || failed;
      return next();
    };
    await Promise.all(Array.from({ length: parallel }, () => next()));
    return failed;
  }

  async #attempt(key: string, work: () => Promise<unknown>): Promise<boolean> {
    if (!this.#isHeld()) return true;
    try {
      await work();
      return false;
    } catch (error) {
      return this.#stopped.signal.aborted ? false : this.#note(error, key);
    }
  }

  /** Says once that the storage is away, not for each file and attempt. */
  #note(error: unknown, key: string): true {
    if (!this.#isFailing)
      this.#options.log.warn(
        { err: error, key },
        "files cannot be moved to the storage of files right now: they wait in the folder `storing`, and are tried again",
      );
    this.#isFailing = true;
    return true;
  }

  /** False where another process has to store the file first. */
  async #removed(key: string): Promise<boolean> {
    const { bucket, rows, marks, spool } = this.#options;
    if (await rows.isElsewhere(key)) {
      this.#isDeferred = true;
      return false;
    }
    await bucket.remove(key);
    await marks.remove(key);
    if ((await spool.size(key)) === undefined) await rows.remove(key);
    return true;
  }

  async #move(key: string): Promise<void> {
    const { bucket, spool, folder, rows, marks } = this.#options;
    // It replaces what is to be removed first.
    if ((await marks.has(key)) && !(await this.#removed(key))) return;
    const path = join(folder, key);
    try {
      const sha256 = await sha256Of(path);
      const there = await bucket.find(key);
      if (there && there.sha256 !== sha256) throw new Error(`the bucket has another file as ${key}`);
      if (!there) await bucket.store(key, path, sha256, this.#stopped.signal);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    // Where it was removed meanwhile there is a mark, which the next round follows.
    await spool.remove(key);
    await rows.remove(key);
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest("hex");
}
