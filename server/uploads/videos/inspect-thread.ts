import { fstatSync, openSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { type Bounds, inspectVideo, type Library, type VideoFacts } from "../../../src/contract/files/inspect-video.ts";

/** What the thread is started with. */
export interface InspectTask {
  path: string;
  bounds?: Bounds;
}

/** What the thread says: that it begins to read, then what it found; null when it could not read the file. */
export type InspectMessage = VideoFacts | "ready" | null;

/**
 * The thread that reads a video. Strangers send these files, so they are parsed where time and memory have limits.
 */
const { path, bounds } = workerData as InspectTask;
/** By `require`, it is one file, not hundreds. */
const library = createRequire(import.meta.url)("mediabunny") as Library;
const say = (message: InspectMessage) => parentPort!.postMessage(message);
const file = openSync(path, "r");

function read(start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(end - start);
  readSync(file, bytes, 0, bytes.length, start);
  return bytes;
}

say("ready");
inspectVideo(library, { size: fstatSync(file).size, read }, bounds).then(say, () => say(null));
