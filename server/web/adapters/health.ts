import type { ServerResponse } from "node:http";
import type { Deps } from "../../app/deps.ts";
import { freeBytes } from "../../lib/free-space.ts";
import { within } from "../../lib/within.ts";
import { touch } from "../../operations/keys/store.ts";
import type { Page } from "../types.ts";

const reply = (response: ServerResponse, status: number, text: string) => {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
};

const cacheMs = 1_000;
/** A load balancer should hear within a second that the database or the disk does not answer. */
const deadlineMs = 900;

/**
 * Health checks, which need no API key. `/livez`: the process responds. `/readyz`: it can also write, has room on its disk and is not
 * shutting down.
 */
export function health(deps: Deps): Record<"livez" | "readyz", Page> {
  const fault = cached(deps, async () => {
    const [written, room] = await Promise.all([writes(deps), hasRoom(deps)]);
    return written ? (room ? undefined : "the disk is nearly full") : "the database cannot be written";
  });
  return {
    livez: async (_request, response) => reply(response, 200, "ok\n"),
    readyz: async (_request, response) => {
      const text = deps.retiring.aborted ? "stopping" : await fault();
      return text === undefined ? reply(response, 200, "ok\n") : reply(response, 503, `${text}\n`);
    },
  };
}

/** Cached for a second, so that health checks cannot overload the database. */
function cached<T>({ clock }: Deps, look: () => Promise<T>): () => Promise<T> {
  let known: { at: number; result: Promise<T> } | undefined;
  return () => {
    const at = clock.real();
    if (!known || at - known.at >= cacheMs) known = { at, result: look() };
    return known.result;
  };
}

/** Row locks are enough: nothing is decided. */
const writes = ({ store }: Deps) => inTime(store.write(touch, { isolation: "rows" }).then(() => true));

const hasRoom = ({ config, dataDir }: Deps) => inTime(freeBytes(dataDir).then((free) => free >= config.http.readyMinFreeBytes));

const inTime = (works: Promise<boolean>) =>
  within(
    deadlineMs,
    works.catch(() => false),
    false,
  );
