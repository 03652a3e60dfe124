import { type Readable, Transform } from "node:stream";
import { NetworkError } from "./transport.ts";
import type { HttpReply, HttpRequest, Transport } from "./types.ts";

/** In ms without a byte taken, which is how long a server waits for one too. On a slow connection a whole file may take hours. */
export const stallMs = 5 * 60_000;
/** In ms for the whole request: a server that has all bytes may verify and store a large file before it answers. */
const wholeMs = 24 * 3_600_000;

interface SentFile extends Pick<HttpRequest, "method" | "url" | "headers" | "signal"> {
  body: Readable;
  /** Whether the receiver has the whole file after this body, so that it may take long to answer. */
  isLast: boolean;
  progress(sent: number): void;
}

/**
 * Sends a file, or a part of one, which is closed then. Throws a NetworkError, which can be retried, when the receiver takes no byte for
 * `stallMs`, or does not answer for as long after a part that is not the last.
 */
export async function sendFile(
  send: Transport["send"],
  { body, isLast, progress, signal, ...request }: SentFile,
): Promise<HttpReply> {
  const stalled = new AbortController();
  const { origin } = request.url;
  const stop = () => stalled.abort(new NetworkError(`${origin} took no more of the file for ${stallMs / 60_000} minutes.`, true));
  const timer = setTimeout(stop, stallMs);
  let sent = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      timer.refresh();
      sent += chunk.length;
      progress(sent);
      done(null, chunk);
    },
    flush(done) {
      if (isLast) clearTimeout(timer);
      done();
    },
  });
  body.once("error", (error) => counted.destroy(error));
  const either = AbortSignal.any([stalled.signal, ...(signal ? [signal] : [])]);
  try {
    return await send({ ...request, body: body.pipe(counted), timeout: wholeMs, signal: either });
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
}
