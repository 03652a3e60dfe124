import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";
import { type Bounds, inspectVideo, type Library, type VideoFacts } from "../../../src/contract/files/inspect-video.ts";

/** A video to read. */
export interface InspectTask {
  path: string;
  bounds?: Bounds;
}

/** What the thread says: once that it is ready, then what it found in each video; null when it could not read it. */
export type InspectMessage = VideoFacts | "ready" | null;

/**
 * The thread that reads videos, one after another. Strangers send these files, so they are parsed where time and memory have limits.
 */

/** By `require`, it is one file, not hundreds. */
const library = createRequire(import.meta.url)("mediabunny") as Library;
const say = (message: InspectMessage) => parentPort!.postMessage(message);

async function inspect({ path, bounds }: InspectTask): Promise<VideoFacts> {
  const file = openSync(path, "r");
  let isOpen = true;
  const read = (start: number, end: number): Uint8Array => {
    // What is left of the work on a file must not read the one that has its number next.
    if (!isOpen) throw new Error("the file is closed");
    const bytes = new Uint8Array(end - start);
    readSync(file, bytes, 0, bytes.length, start);
    return bytes;
  };
  try {
    return await inspectVideo(library, { size: fstatSync(file).size, read }, bounds);
  } finally {
    isOpen = false;
    closeSync(file);
  }
}

parentPort!.on("message", (task: InspectTask) => inspect(task).then(say, () => say(null)));
say("ready");
