import { type Readable, Transform } from "node:stream";
import { NetworkError } from "./transport.ts";
import type { HttpReply, HttpRequest, Transport } from "./types.ts";

/** In ms: the limits below end a request before. */
const longest = 24 * 3_600_000;
/** In ms without a byte taken. On a slow connection a whole file may take hours. */
export const stallMs = 5 * 60_000;
/** How fast the receiver, or a proxy that took the bytes before it, at least does its work with what it has: verifies, stores, passes it on. */
const leastBytesPerMs = 100;

interface SentFile extends Pick<HttpRequest, "method" | "url" | "headers" | "signal"> {
  body: Readable;
  /** How many bytes of the file the receiver has after this body. */
  total: number;
  progress(sent: number): void;
}

/**
 * Sends a file, or a part of one, which is closed then. Throws a NetworkError, which can be retried, when the receiver takes no byte for
 * `stallMs`, or when it has all of them and does not answer for longer than it may need.
 */
export async function sendFile(
  send: Transport["send"],
  { body, total, progress, signal, ...request }: SentFile,
): Promise<HttpReply> {
  const stalled = new AbortController();
  const { origin } = request.url;
  const stopIn = (ms: number, text: (minutes: number) => string) =>
    setTimeout(() => stalled.abort(new NetworkError(text(Math.round(ms / 60_000)), true)), ms);
  let timer = stopIn(stallMs, (minutes) => `${origin} took no more of the file for ${minutes} minutes.`);
  let sent = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      timer.refresh();
      sent += chunk.length;
      progress(sent);
      done(null, chunk);
    },
    flush(done) {
      clearTimeout(timer);
      const answerMs = stallMs + total / leastBytesPerMs;
      timer = stopIn(answerMs, (minutes) => `${origin} took the file and did not answer for ${minutes} minutes.`);
      done();
    },
  });
  body.once("error", (error) => counted.destroy(error));
  const either = AbortSignal.any([stalled.signal, ...(signal ? [signal] : [])]);
  try {
    return await send({ ...request, body: body.pipe(counted), timeout: longest, signal: either });
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}
