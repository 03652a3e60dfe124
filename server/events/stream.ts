import { once } from "node:events";
import type { ServerResponse } from "node:http";

export interface StreamSource {
  /** What a client that saw nothing yet resumes from. */
  start: string;
  /** The next events in order; none when there are none just now. */
  next(): Promise<{ id: string; data: string }[]>;
  follow(wake: () => void): () => void;
  /** Whether the caller may go on listening: asked before events are told, and at each heartbeat. */
  allowed(): Promise<boolean>;
  draining: AbortSignal;
  heartbeatMs: number;
}

const retryMs = 1_000;

/** Writes events as `text/event-stream` until the client leaves, may listen no longer, or the server drains. */
export async function streamTo(response: ServerResponse, source: StreamSource): Promise<void> {
  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" });
  if (response.req.method === "HEAD") return void response.end();
  const bell = createEventWakeup();
  const stop = source.follow(bell.ring);
  source.draining.addEventListener("abort", bell.ring);
  response.on("close", bell.ring);
  const over = () => source.draining.aborted || response.destroyed;
  try {
    // The id alone is no event: it tells a client where to resume although it has seen none.
    await write(response, `retry: ${retryMs}\nid: ${source.start}\n\n`);
    while (!over()) {
      const events = await source.next();
      if (events.length > 0 && !(await source.allowed())) break;
      for (const { id, data } of events) if (!over()) await write(response, `id: ${id}\ndata: ${data}\n\n`);
      if (events.length > 0 || over()) continue;
      if (await bell.rungWithin(source.heartbeatMs)) continue;
      if (!(await source.allowed())) break;
      await write(response, ":\n\n");
    }
  } finally {
    stop();
    source.draining.removeEventListener("abort", bell.ring);
    response.end();
  }
}

/** Waits for a client that reads slowly rather than keeping what it has not read. */
async function write(response: ServerResponse, text: string): Promise<void> {
  if (response.destroyed || response.write(text)) return;
  const left = new AbortController();
  const options = { signal: left.signal };
  try {
    await Promise.race([once(response, "drain", options), once(response, "close", options)]);
  } finally {
    left.abort();
  }
}

interface EventWakeup {
  ring(): void;
  /** True: it rang, now or since the last wait. */
  rungWithin(ms: number): Promise<boolean>;
}

function createEventWakeup(): EventWakeup {
  let rung = false;
  let hear: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      hear?.();
    },
    async rungWithin(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          hear = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        hear = undefined;
      }
      const was = rung;
      rung = false;
      return was;
    },
  };
}
