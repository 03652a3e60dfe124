import type { IncomingMessage } from "node:http";
import { Problem } from "../lib/problem.ts";
import { parseStrictJson } from "./json.ts";

export interface BodyLimits {
  bytes: number;
  /** The whole of it must be there within so many milliseconds: what drips would hold its connection for ever. */
  withinMs: number;
}

const tooLarge = (limit: number) =>
  new Problem("PAYLOAD_TOO_LARGE", `The request body is larger than ${limit} bytes. Nothing was changed.`, {
    headers: { Connection: "close" },
  });

const tooSlow = () =>
  new Problem("BAD_REQUEST", "The request body took too long to arrive. Nothing was changed.", {
    status: 408,
    headers: { Connection: "close" },
  });

/** The JSON body, or undefined when there is none; that of a GET is not read. Counts bytes while streaming, so a chunked body cannot be endless. */
export async function readJson(request: IncomingMessage, limits: BodyLimits): Promise<unknown> {
  if (request.method === "GET" || request.method === "HEAD") return undefined;
  const length = request.headers["content-length"];
  if (length === "0" || (length === undefined && request.headers["transfer-encoding"] === undefined)) return undefined;
  const bytes = await readBytes(request, limits);
  if (bytes.length === 0) return undefined;
  requireJsonType(request.headers["content-type"]);
  return parseStrictJson(bytes);
}

/** The body's bytes; 413 when there are too many, 408 when they take too long. */
export function readBytes(request: IncomingMessage, { bytes: limit, withinMs }: BodyLimits): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > limit) return Promise.reject(tooLarge(limit));
  return new Promise<Buffer>((resolve, reject) => {
    const late = setTimeout(() => reject(tooSlow()), withinMs);
    request.once("close", () => clearTimeout(late)).once("end", () => clearTimeout(late));
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) return void chunks.push(chunk);
      request.pause();
      reject(tooLarge(limit));
    });
    request.once("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.once("error", () =>
      reject(new Problem("BAD_REQUEST", "The connection closed before the whole request body arrived. Nothing was changed.")),
    );
  });
}

function requireJsonType(contentType: string | undefined): void {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json" || type?.endsWith("+json")) return;
  throw new Problem("UNSUPPORTED_MEDIA_TYPE", "Send the body as application/json. Nothing was changed.");
}

const lingerMs = 3_000;

/**
 * Drops what is still coming of a body: a client that is sending reads the reply only when its bytes are taken for a while. Then the
 * connection is closed, because a body that nobody asked for may go on for ever.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const close = setTimeout(() => request.destroy(), lingerMs).unref();
  request.once("close", () => clearTimeout(close)).resume();
}
