import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import { byLease, type LeaseTime, leaseTime } from "../../jobs/store.ts";
import { locked } from "../errors.ts";
import type { LastHolder, UploadFiles } from "../files.ts";
import * as writers from "./store.ts";

/** The right of one request to work on an upload. */
export interface Hold {
  /** Whether no other process has taken the upload over: then whatever arrived here so far is part of it. */
  isHeld(): Promise<boolean>;
  /** Ends the hold in the transaction that decides what becomes of the upload. False when another process has taken it over. */
  end(tx: Query): Promise<boolean>;
  /** Lets go of the upload. False when it was lost before: then what was written meanwhile is not part of it. */
  release(): Promise<boolean>;
}

/** How long (ms) a process that died or hangs keeps others from its uploads. */
const leaseMs = 10_000;
const extendEveryMs = 2_000;
/** How often (ms) a process that wants an upload looks whether the other one has let go of it. */
const askEveryMs = 200;

/** Locks that let one request at a time work on an upload, also where several processes share the uploads. */
export class Locks {
  readonly #deps: Deps;
  readonly #files: UploadFiles;
  readonly #held = new Map<string, { stop(): void; released: Promise<void> }>();
  /** How the tokens of this process begin. */
  readonly #process: string;

  constructor(deps: Deps, files: UploadFiles) {
    this.#deps = deps;
    this.#files = files;
    this.#process = deps.newId();
  }

  /** Takes the lock; undefined when it is held. `stop` is called when another request wants it, or when it is lost. */
  async take(id: string, stop: () => void): Promise<Hold | undefined> {
    const free = this.#takeHere(id, stop);
    if (!free) return undefined;
    return this.#lease(id, stop, free);
  }

  /** Tells the holder to stop, waits until it released the lock or does not answer, and takes the lock. */
  async takeOver(id: string): Promise<Hold> {
    const { wait, draining } = this.#deps;
    for (;;) {
      const hold = await this.take(id, () => {});
      if (hold) return hold;
      const holder = this.#held.get(id);
      holder?.stop();
      if (holder) await holder.released;
      else {
        await this.#write((tx) => writers.want(tx, id));
        await wait(askEveryMs, draining).catch(() => Promise.reject(locked()));
      }
    }
  }

  #takeHere(id: string, stop: () => void): (() => void) | undefined {
    if (this.#held.has(id)) return undefined;
    const { promise: released, resolve } = deferred();
    this.#held.set(id, { stop, released });
    return () => {
      this.#held.delete(id);
      resolve();
    };
  }

  /** Takes the lease, which is needed only where other processes exist. */
  async #lease(id: string, stop: () => void, free: () => void): Promise<Hold | undefined> {
    const { store, newId } = this.#deps;
    if (!store.shared) {
      const release = async () => {
        free();
        return true;
      };
      return { release, isHeld: async () => true, end: async () => true };
    }
    const token = `${this.#process} ${newId()}`;
    try {
      const acquired = await this.#write((tx, now) => writers.acquire(tx, id, token, now, leaseMs));
      if (acquired) return await this.#hold(id, token, acquired, stop, free);
    } catch (error) {
      free();
      throw error;
    }
    free();
    return undefined;
  }

  async #hold(id: string, token: string, acquired: writers.Acquired, stop: () => void, free: () => void): Promise<Hold> {
    let ended = false;
    const extend = () => this.#write((tx, now) => writers.extend(tx, id, token, now, leaseMs));
    const heartbeat = setInterval(() => {
      // One that fails is tried again. The lease may run out meanwhile, which its release notices.
      extend()
        .then((row) => row?.wanted !== 0 && stop())
        .catch(() => {});
    }, extendEveryMs);
    const isHeld = async () => (await extend()) !== undefined;
    // Who wants the upload does not wait until all is kept: the client sends the rest again.
    const goesOn = async () => (await extend())?.wanted === 0;
    const release = async () => {
      try {
        // One that goes on is kept where other processes find it. What cannot be kept now is sent again by the client.
        if (!ended) await this.#files.save(id, goesOn).catch(() => {});
        clearInterval(heartbeat);
        const isMine = (await this.#write((tx) => writers.release(tx, id, token))) > 0 || ended;
        if (!isMine) await this.#files.abandon(id);
        return isMine;
      } finally {
        this.#files.close(id);
        free();
      }
    };
    const last = this.#lastHolder(acquired);
    if (last !== "this process") this.#files.hashes.forget(id);
    try {
      await this.#files.open(id, acquired.generation, last);
    } catch (error) {
      await release();
      throw error;
    }
    return { release, isHeld, end: async (tx) => (ended = (await writers.end(tx, id, token)) > 0) };
  }

  #lastHolder({ previous }: writers.Acquired): LastHolder {
    if (previous === null) return "none";
    return previous.startsWith(this.#process) ? "this process" : "another process";
  }

  #write<T>(fn: (tx: Query, now: LeaseTime) => Promise<T>): Promise<T> {
    const { store, clock } = this.#deps;
    return store.write((tx) => fn(tx, leaseTime(store.dialect, clock.real())), byLease);
  }
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
