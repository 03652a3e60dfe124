import { scryptSync } from "node:crypto";
import { parentPort } from "node:worker_threads";
import type { HashTask } from "./hash-pool.ts";

/** The thread of a hash pool: answers each task with its key, one after the other. */
parentPort!.on("message", ({ password, salt, logN, keyBytes }: HashTask) => {
  const N = 2 ** logN;
  parentPort!.postMessage(scryptSync(password, salt, keyBytes, { N, r: 8, p: 1, maxmem: 256 * N * 8 }));
});
