import type { ByteRange } from "../../http/range.ts";
import { BucketAway, type Client, isMissing, S3Error, type S3Reply } from "./client.ts";

/** A part of an object that begins to arrive. */
interface Answer {
  reply: S3Reply;
  extent: ByteRange;
}

/** How often in a row a connection may break before any byte arrives. */
const mostFailures = 5;

/**
 * The bytes `start`..`end` of an object, both included, or all; undefined when there is none. Goes on where a connection broke. What
 * arrives is exactly that many bytes, or an error.
 */
export async function readObject(client: Client, key: string, range: ByteRange = { start: 0, end: Infinity }) {
  const first = await ask(client, key, range).catch((error) => {
    // An empty object has no range at all.
    if (error instanceof S3Error && error.status === 416) return "empty" as const;
    throw error;
  });
  if (first === undefined) return undefined;
  return first === "empty" ? nothing() : bytesOf(client, key, first);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function ask(client: Client, key: string, range: ByteRange, etag?: string): Promise<Answer | undefined> {
  const { start, end } = range;
  const headers = { range: `bytes=${start}-${Number.isFinite(end) ? end : ""}`, ...(etag && { "if-match": etag }) };
  try {
    return await client.retried(async () => {
      const reply = await client.once({ method: "GET", key, headers });
      return { reply, extent: extentOf(reply, range) };
    });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Which part of the object a reply has. Throws, so that it is asked for again, where that is not what was asked for. */
function extentOf({ status, headers }: S3Reply, asked: ByteRange): ByteRange {
  const stated = headers.get("content-range");
  const [, start, end, total] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(stated ?? "") ?? []).map(Number);
  const isRight = status === 206 && start === asked.start && end === Math.min(asked.end, total! - 1);
  if (isRight) return { start, end };
  throw new Error(`the bucket answered ${status} with ${stated} where the bytes ${asked.start}-${asked.end} were asked for`);
}

async function* bytesOf(client: Client, key: string, first: Answer): AsyncGenerator<Uint8Array> {
  const etag = first.reply.headers.get("etag") ?? undefined;
  let { start, end } = first.extent;
  let answer: Answer | undefined = first;
  for (let failures = 0; start <= end; ) {
    let problem: unknown = new Error("the bucket sent fewer bytes than it said");
    try {
      for await (const chunk of answer.reply.bytes) {
        if (start + chunk.length > end + 1) throw new Error("the bucket sent more bytes than it said");
        start += chunk.length;
        failures = 0;
        yield chunk;
      }
    } catch (error) {
      problem = error;
    }
    if (start > end) return;
    if (++failures > mostFailures) throw new BucketAway(problem);
    answer = await ask(client, key, { start, end }, etag);
    if (!answer) throw new BucketAway(new Error(`${key} was removed while it was read`));
  }
}
