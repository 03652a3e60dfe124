import type { Bounds, VideoFacts } from "../../../src/contract/files/inspect-video.ts";
import { startThread } from "../../lib/threads/start.ts";
import { FairQueue } from "./fair-queue.ts";
import type { InspectMessage, InspectTask } from "./inspect-thread.ts";

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
  return new Promise((resolve) => {
    const worker = startThread(import.meta.url, "inspect-thread", {
      workerData: { path, ...(bounds && { bounds }) } satisfies InspectTask,
      resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 32 },
    });
    let timer: NodeJS.Timeout | undefined;
    const end = (facts: VideoFacts | null) => {
      clearTimeout(timer);
      void worker.terminate();
      resolve(facts);
    };
    worker.on("message", (message: InspectMessage) => {
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
