import type { Worker } from "node:worker_threads";
import type { Bounds, VideoFacts } from "../../../src/contract/files/inspect-video.ts";
import { startThread } from "../../lib/threads/start.ts";
import { FairQueue } from "./fair-queue.ts";
import type { InspectMessage, InspectTask } from "./inspect-thread.ts";

export interface Limits {
  /** How long reading may take, not counting the start of its thread (ms). */
  timeoutMs: number;
  /** Where it is not what any recorder's file needs. */
  bounds?: Bounds;
}

/** While its sender waits. */
const whileSent: Limits = { timeoutMs: 2000 };
/** In the job, for which nobody waits. */
const later: Limits = { timeoutMs: 10_000 };
/** How long a sender waits for the videos of others (ms). */
const patienceMs = 1000;
/** How long a thread waits for another video (ms). */
const idleMs = 10_000;

/** A thread that reads one video after another. To start it and load its library takes longer than to read most videos. */
class Reader {
  readonly #worker: Worker;
  #answer: (message: InspectMessage | undefined) => void = () => {};
  readonly #started: Promise<InspectMessage | undefined>;
  #isEnded = false;
  #leave: NodeJS.Timeout | undefined;

  constructor() {
    this.#worker = startThread(import.meta.url, "inspect-thread", {
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
    });
    this.#started = this.#next();
    this.#worker.on("message", (message: InspectMessage) => this.#answer(message));
    const ended = () => {
      this.#isEnded = true;
      idle.delete(this);
      this.#answer(undefined);
    };
    this.#worker.once("error", ended).once("exit", ended);
  }

  #next(): Promise<InspectMessage | undefined> {
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  /** Null when the video cannot be read in this time; undefined when the thread ended by itself. */
  async read(task: InspectTask, timeoutMs: number): Promise<VideoFacts | null | undefined> {
    clearTimeout(this.#leave);
    this.#worker.ref();
    await this.#started;
    if (this.#isEnded) return undefined;
    const facts = this.#next() as Promise<VideoFacts | null | undefined>;
    const timer = setTimeout(() => this.#answer(null), timeoutMs);
    this.#worker.postMessage(task);
    return facts.finally(() => clearTimeout(timer));
  }

  /** Waits for another video, and keeps no process running for it. */
  rest(): void {
    if (this.#isEnded) return;
    this.#worker.unref();
    this.#leave = setTimeout(() => this.end(), idleMs).unref();
    idle.add(this);
  }

  end(): void {
    idle.delete(this);
    void this.#worker.terminate();
  }
}

const idle = new Set<Reader>();

/** What a file is made of. Null when it cannot be read within the limits: its thread may still be busy with it, so it is ended. */
export async function inspectFile(path: string, { timeoutMs, bounds }: Limits = whileSent): Promise<VideoFacts | null> {
  for (;;) {
    const [rested] = idle;
    const reader = rested ?? new Reader();
    idle.delete(reader);
    const facts = await reader.read({ path, ...(bounds && { bounds }) }, timeoutMs);
    if (facts) reader.rest();
    else reader.end();
    // A thread that ended by itself may have done so because of the video before.
    if (facts !== undefined || !rested) return facts ?? null;
  }
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
