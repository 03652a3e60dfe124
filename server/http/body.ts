import type { IncomingMessage } from "node:http";
import { ApiError } from "../lib/api-error.ts";
import { parseStrictJson } from "./json.ts";

export interface BodyLimits {
  bytes: number;
  /** Time limit for the whole body, in milliseconds. Without it, a client that sends slowly could hold a connection forever. */
  withinMs: number;
}

// Neither error sends `Connection: close`: node would close at once, and a client that is still sending would not get the reply. Instead
// `discardRest` closes the connection later.
const tooLarge = (limit: number) =>
  new ApiError("PAYLOAD_TOO_LARGE", `The request body is larger than ${limit} bytes. Nothing was changed.`);

const tooSlow = () =>
  new ApiError("BAD_REQUEST", "The request body took too long to arrive. Nothing was changed.", { status: 408 });

const cutShort = () =>
  new ApiError("BAD_REQUEST", "The connection closed before the whole request body arrived. Nothing was changed.");

/** The JSON body. Undefined if there is none, or for a GET. Counts bytes while streaming, which limits chunked bodies too. */
export async function readJson(request: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  if (request.method === "GET" || request.method === "HEAD") return undefined;
  const length = request.headers["content-length"];
  if (length === "0" || (length === undefined && request.headers["transfer-encoding"] === undefined)) return undefined;
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) return undefined;
  requireJsonType(request.headers["content-type"]);
  return parseStrictJson(bytes);
}

/** The bytes of the body. 413 if there are too many, 408 if they take too long; both free the bytes received so far at once. */
export function readBytes(request: IncomingMessage, { bytes: limit, withinMs }: BodyLimits): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > limit) return Promise.reject(tooLarge(limit));
  return new Promise<Buffer>((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const late = setTimeout(() => refuse(tooSlow()), withinMs);
    const stop = () => {
      clearTimeout(late);
      request.off("data", take).off("end", end);
    };
    const refuse = (problem: ApiError) => {
      stop();
      chunks = [];
      reject(problem);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) refuse(tooLarge(limit));
      else chunks.push(chunk);
    };
    const end = () => {
      stop();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    };
    request
      .on("data", take)
      .once("end", end)
      .once("error", () => refuse(cutShort()));
  });
}

function requireJsonType(contentType: string | undefined): void {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json" || type?.endsWith("+json")) return;
  throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "Send the body as application/json. Nothing was changed.");
}

const lingerMs = 3_000;

/**
 * Discards the rest of a body for a while, because a client reads the reply only after its bytes were received. Then closes the
 * connection, because the body may be endless.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const close = setTimeout(() => request.destroy(), lingerMs).unref();
  request.once("close", () => clearTimeout(close)).unpipe();
  request.resume();
}
