import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";

/**
 * The thread that reads a video. Strangers send these files, so they are parsed where time and memory have limits. It is a string, so that
 * the bundled program needs no second file.
 */
const threadSource = `
const { fstatSync, openSync, readSync } = require("node:fs");
const { parentPort, workerData } = require("node:worker_threads");
const { CustomSource, Input, MATROSKA, MP4, QTFF, WEBM } = require(workerData.library);

const file = openSync(workerData.path, "r");
let left = workerData.maxBytes;

function read(start, end) {
  left -= end - start;
  if (left < 0) throw new Error("too much to read");
  const bytes = new Uint8Array(end - start);
  readSync(file, bytes, 0, bytes.length, start);
  return bytes;
}

async function measure() {
  const source = new CustomSource({ getSize: () => fstatSync(file).size, read, handleUnhandledError() {} });
  const input = new Input({ source, formats: [MP4, QTFF, MATROSKA, WEBM] });
  const tracks = await input.getVideoTracks();
  if (tracks.length === 0) return null;
  // A recording that was written while it was streamed has its length nowhere: its frames are counted.
  return (await input.getDurationFromMetadata(tracks)) ?? (await input.computeDuration(tracks));
}

measure().then((seconds) => parentPort.postMessage(seconds), () => parentPort.postMessage(null));`;

export interface Limits {
  /** How long reading may take, not counting the start of its thread (ms). */
  timeoutMs: number;
  /** How much of the file may be read. */
  maxBytes: number;
  heapMiB: number;
}

// The index of a recording of three hours has about 12 MB.
const defaults: Limits = { timeoutMs: 20_000, maxBytes: 64 * 1024 * 1024, heapMiB: 256 };

/** Longer than that is a wrong number. */
const longestMs = 7 * 24 * 3_600_000;

function measure(path: string, { timeoutMs, maxBytes, heapMiB }: Limits): Promise<number | null> {
  const library = createRequire(import.meta.url).resolve("mediabunny");
  return new Promise((resolve) => {
    const worker = new Worker(threadSource, {
      eval: true,
      workerData: { library, path, maxBytes },
      resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 32 },
    });
    let timer: NodeJS.Timeout | undefined;
    const end = (seconds: unknown) => {
      clearTimeout(timer);
      void worker.terminate();
      const ms = typeof seconds === "number" ? Math.round(seconds * 1000) : 0;
      resolve(ms > 0 && ms <= longestMs ? ms : null);
    };
    worker.once("online", () => {
      timer = setTimeout(end, timeoutMs, null);
    });
    worker.once("message", end);
    worker.once("error", () => end(null));
    worker.once("exit", () => end(null));
  });
}

let last: Promise<unknown> = Promise.resolve();

/** The length of an MP4, MOV, WebM or MKV file in ms, from its metadata where they have it. Null when it cannot be read within the limits. */
export function videoLength(path: string, limits = defaults): Promise<number | null> {
  // One at a time: the limits are for the process.
  const measured = last.then(() => measure(path, limits));
  last = measured.catch(() => undefined);
  return measured;
}
