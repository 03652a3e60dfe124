import type { TraceEvent } from "../api/types.ts";
import { lines, redact, redactText, toJson } from "../io/text.ts";

interface Options {
  verbose: boolean;
  debug: boolean;
  quiet: boolean;
  err(text: string): void;
}

const longestBody = 4_000;

function bodyText(body: Buffer, type: string | undefined): string {
  if (body.length === 0) return "";
  if (!type?.includes("json")) return `${body.length} bytes of ${type ?? "unknown type"}`;
  try {
    return toJson(redact(JSON.parse(body.toString("utf8")))).slice(0, longestBody);
  } catch {
    return redactText(body.toString("utf8")).slice(0, longestBody);
  }
}

/** Milliseconds of waiting for a server of which nobody should wonder why nothing happens. */
const noticeableMs = 10_000;

/** Tells once that the server is waited for. */
function waitingNotice({ quiet, err }: Options): (event: TraceEvent) => void {
  let told = quiet;
  return (event) => {
    if (told || event.kind !== "retry" || event.waited < noticeableMs) return;
    told = true;
    err(`This request has not succeeded yet. It is sent again for up to ${Math.round(event.maxWait / 1000)} s (--max-wait).\n`);
  };
}

/** Logs requests and responses to standard error, secrets redacted: one line each with --verbose, or in full with --debug. */
export function tracer(options: Options): (event: TraceEvent) => void {
  const { verbose, debug, err } = options;
  if (!verbose && !debug) return waitingNotice(options);
  const say = (text: string) => err(`${lines(text)}\n`);
  const headers = (mark: string, values: Record<string, string>) => {
    for (const [name, value] of Object.entries(redact(values) as Record<string, string>)) say(`${mark} ${name}: ${value}`);
  };
  return (event) => {
    if (event.kind === "request") {
      say(`> ${event.method} ${redactText(event.url)}`);
      if (debug) headers(">", event.headers);
      if (debug && event.body !== undefined) say(`> ${toJson(redact(event.body)).slice(0, longestBody)}`);
    } else if (event.kind === "reply") {
      say(`< ${event.status} in ${event.ms} ms${event.requestId ? ` (${event.requestId})` : ""}`);
      if (debug) headers("<", event.headers);
      if (debug) say(`< ${bodyText(event.body, event.headers["content-type"])}`);
    } else if (event.kind === "failed") say(`! ${redactText(event.error.message)} after ${event.ms} ms`);
    else say(`… attempt ${event.tries} failed; retrying in ${event.wait} ms`);
  };
}
