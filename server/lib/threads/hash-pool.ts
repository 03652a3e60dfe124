import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { unavailable } from "../api-error.ts";
import { startThread } from "./start.ts";

/** The parameters of one scrypt run: N = 2^logN, r = 8, p = 1. */
export interface HashTask {
  password: string;
  salt: Uint8Array;
  logN: number;
  keyBytes: number;
}

/** Runs scrypt in its own threads. Node's thread pool stays free for files, DNS and compression. */
export interface HashPool {
  /**
   * Rejects with 503 and Retry-After when too many runs are waiting, and with the signal's reason when the caller disconnected before
   * its run started.
   */
  run(task: HashTask, signal?: AbortSignal): Promise<Buffer>;
}

interface Waiting {
  task: HashTask;
  resolve(key: Buffer): void;
  reject(error: unknown): void;
}

interface Thread {
  worker: Worker;
  current: Waiting | undefined;
}

/**
 * How much work may wait, as the sum of N of its runs: 32 runs at production cost (N = 2^17, a quarter of a second each), so that a
 * full queue takes seconds, not minutes.
 */
const defaults = { threads: Math.max(1, Math.min(4, availableParallelism() - 1)), queuedWork: 32 * 2 ** 17 };

const workOf = ({ task }: Waiting) => 2 ** task.logN;

export function createHashPool({ threads, queuedWork } = defaults): HashPool {
  const idle: Thread[] = [];
  const waiting: Waiting[] = [];
  let started = 0;

  function addThread(): Thread {
    started++;
    const thread: Thread = { worker: startThread(import.meta.url, "hash-thread"), current: undefined };
    // An idle thread must not keep the process running.
    thread.worker.unref();
    thread.worker.on("message", (key: Uint8Array) => {
      const done = thread.current;
      thread.current = undefined;
      thread.worker.unref();
      idle.push(thread);
      done?.resolve(Buffer.from(key));
      next();
    });
    thread.worker.on("error", (error) => {
      started--;
      thread.current?.reject(error);
      next();
    });
    return thread;
  }

  function next(): void {
    while (waiting.length > 0) {
      const thread = idle.pop() ?? (started < threads ? addThread() : undefined);
      if (!thread) return;
      const taken = waiting.shift()!;
      thread.current = taken;
      thread.worker.ref();
      thread.worker.postMessage(taken.task);
    }
  }

  return {
    run(task, signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (waiting.reduce((sum, one) => sum + workOf(one), 2 ** task.logN) > queuedWork)
        return Promise.reject(
          unavailable("The server is checking too many passwords right now. Nothing was changed. Try again in a few seconds."),
        );
      return new Promise((resolve, reject) => {
        const entry: Waiting = { task, resolve, reject };
        waiting.push(entry);
        signal?.addEventListener(
          "abort",
          () => {
            const at = waiting.indexOf(entry);
            if (at < 0) return;
            waiting.splice(at, 1);
            reject(signal.reason);
          },
          { once: true },
        );
        next();
      });
    },
  };
}

let shared: HashPool | undefined;

/** The pool of this process. Its size depends on the machine, not on the number of servers in the process. */
export function sharedHashPool(): HashPool {
  shared ??= createHashPool();
  return shared;
}
