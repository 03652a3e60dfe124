import type { ServerResponse } from "node:http";
import type { Deps } from "../../app/deps.ts";
import { within } from "../../lib/within.ts";
import type { Page } from "../types.ts";

const reply = (response: ServerResponse, status: number, text: string) => {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
};

const cacheMs = 1_000;
/** A load balancer should hear within a second that the database does not answer. */
const deadlineMs = 900;

/** Health checks, which need no API key. `/livez`: the process responds. `/readyz`: it can also write and is not shutting down. */
export function health(deps: Deps): Record<"livez" | "readyz", Page> {
  let checked: { at: number; ok: Promise<boolean> } | undefined;

  /** Cached for a second, so that health checks cannot overload the database. */
  function storeWorks(): Promise<boolean> {
    const at = deps.clock.real();
    if (checked && at - checked.at < cacheMs) return checked.ok;
    const ok = deps.store
      .write((tx) => tx.one("SELECT 1 AS ok"))
      .then(
        () => true,
        () => false,
      );
    checked = { at, ok: within(deadlineMs, ok, false) };
    return checked.ok;
  }

  return {
    livez: async (_request, response) => reply(response, 200, "ok\n"),
    readyz: async (_request, response) => {
      if (deps.retiring.aborted) return reply(response, 503, "stopping\n");
      if (!(await storeWorks())) return reply(response, 503, "the database cannot be written\n");
      reply(response, 200, "ok\n");
    },
  };
}
