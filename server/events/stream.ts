import { once } from "node:events";
import type { ServerResponse } from "node:http";

export interface StreamSource {
  /** The event id that a client resumes from when it loses the connection before the first event. */
  start: string;
  /** The next events in order; empty when there are no new ones. */
  next(): Promise<{ id: string; data: string }[]>;
  follow(wake: () => void): () => void;
  /** Whether the caller's key is still valid. Checked before events are sent, and at each heartbeat. */
  allowed(): Promise<boolean>;
  draining: AbortSignal;
  heartbeatMs: number;
}

const retryMs = 1_000;

/** Writes events as `text/event-stream` until the client disconnects, its key is no longer valid, or the server shuts down. */
export async function streamTo(response: ServerResponse, source: StreamSource): Promise<void> {
  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "X-Accel-Buffering": "no" });
  if (response.req.method === "HEAD") return void response.end();
  const wakeup = createEventWakeup();
  const stop = source.follow(wakeup.wake);
  source.draining.addEventListener("abort", wakeup.wake);
  response.on("close", wakeup.wake);
  const over = () => source.draining.aborted || response.destroyed;
  try {
    // An id without data is not an event. It tells the client where to resume if it disconnects before the first event.
    await write(response, `retry: ${retryMs}\nid: ${source.start}\n\n`);
    while (!over()) {
      const events = await source.next();
      if (events.length > 0 && !(await source.allowed())) break;
      for (const { id, data } of events) if (!over()) await write(response, `id: ${id}\ndata: ${data}\n\n`);
      if (events.length > 0 || over()) continue;
      if (await wakeup.wokenWithin(source.heartbeatMs)) continue;
      if (!(await source.allowed())) break;
      await write(response, ":\n\n");
    }
  } finally {
    stop();
    source.draining.removeEventListener("abort", wakeup.wake);
    response.end();
  }
}

/** Writes to the client. When it reads slowly, waits until it catches up, instead of buffering in memory. */
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
  wake(): void;
  /** Waits until `wake` is called, at most `ms`. True when it was called since the last wait. */
  wokenWithin(ms: number): Promise<boolean>;
}

function createEventWakeup(): EventWakeup {
  let woken = false;
  let onWake: (() => void) | undefined;
  return {
    wake() {
      woken = true;
      onWake?.();
    },
    async wokenWithin(ms) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          onWake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        onWake = undefined;
      }
      const wasWoken = woken;
      woken = false;
      return wasWoken;
    },
  };
}
