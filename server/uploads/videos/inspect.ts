import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { Bounds, VideoFacts } from "../../../src/contract/files/inspect-video.js";
import { FairQueue } from "./fair-queue.ts";
import { inspectorSource } from "./inspector.ts";

/**
 * The thread that reads a video. Strangers send these files, so they are parsed where time and memory have limits. It is a string, so that
 * the bundled program needs no second file.
 */
const threadSource = `
const { fstatSync, openSync, readSync } = require("node:fs");
const { parentPort, workerData } = require("node:worker_threads");

function read(file, start, end) {
  const bytes = new Uint8Array(end - start);
  readSync(file, bytes, 0, bytes.length, start);
  return bytes;
}

async function inspect() {
  const file = openSync(workerData.path, "r");
  const library = require(workerData.library);
  const { inspectVideo } = await import("data:text/javascript," + encodeURIComponent(workerData.inspector));
  parentPort.postMessage("ready");
  return inspectVideo(library, { size: fstatSync(file).size, read: (start, end) => read(file, start, end) }, workerData.bounds);
}

inspect().then((facts) => parentPort.postMessage(facts), () => parentPort.postMessage(null));`;

export interface Limits {
  /** How long reading may take, not counting the start of its thread (ms). */
  timeoutMs: number;
  heapMiB: number;
  /** Where it is not what any recorder's file needs. */
  bounds?: Bounds;
}

/** While its sender waits. */
const whileSent: Limits = { timeoutMs: 2000, heapMiB: 256 };
/** In the job, for which nobody waits. */
const later: Limits = { timeoutMs: 10_000, heapMiB: 256 };
/** How long a sender waits for the videos of others (ms). */
const patienceMs = 1000;

/** What a file is made of. Null when it cannot be read within the limits. */
export function inspectFile(path: string, { timeoutMs, heapMiB, bounds }: Limits = whileSent): Promise<VideoFacts | null> {
  const library = createRequire(import.meta.url).resolve("mediabunny");
  return new Promise((resolve) => {
    const worker = new Worker(threadSource, {
      eval: true,
      workerData: { library, path, inspector: inspectorSource, bounds },
      resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 32 },
    });
    let timer: NodeJS.Timeout | undefined;
    const end = (facts: VideoFacts | null) => {
      clearTimeout(timer);
      void worker.terminate();
      resolve(facts);
    };
    worker.on("message", (message: VideoFacts | "ready" | null) => {
      if (message === "ready") timer = setTimeout(end, timeoutMs, null);
      else end(message);
    });
    worker.once("error", () => end(null));
    worker.once("exit", () => end(null));
  });
}

/** Of a process: two, so that the files of one account never stop everybody's. */
const queue = new FairQueue(2);

/** What a video is made of, for its sender, who waits. Undefined when it could not be found out in that time. */
export async function inspectSent(path: string, account: string): Promise<VideoFacts | undefined> {
  return (await queue.run(account, () => inspectFile(path), AbortSignal.timeout(patienceMs))) ?? undefined;
}

/** What a stored video is made of. Null when it cannot be read. */
export const inspectStored = async (path: string, account: string): Promise<VideoFacts | null> =>
  (await queue.run(account, () => inspectFile(path, later))) ?? null;
