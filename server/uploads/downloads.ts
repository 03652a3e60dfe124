import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Deps } from "../app/deps.ts";
import { contentDisposition, parseRange } from "../http/range.ts";
import { notFound, Problem } from "../lib/problem.ts";
import { sha256 } from "../lib/secrets.ts";
import type { Download } from "../lib/signed-links.ts";

/** Streams a stored file, or the part that `Range` names, as fast as the client takes it. */
export async function sendFile(deps: Deps, request: IncomingMessage, response: ServerResponse, file: Download): Promise<void> {
  const size = await deps.blobs.size(file.blobKey);
  if (size === undefined) throw notFound();
  // What is stored under a key never changes, so the key makes a strong tag.
  const etag = `"${sha256(file.blobKey).slice(0, 32)}"`;
  const range = parseRange(conditionHolds(request, etag) ? request.headers.range : undefined, size);
  if (range === "unsatisfiable")
    throw new Problem("RANGE_NOT_SATISFIABLE", `The file has ${size} bytes.`, {
      headers: { "Content-Range": `bytes */${size}` },
    });
  response.writeHead(range ? 206 : 200, {
    "Content-Type": file.contentType,
    "Content-Length": range ? range.end - range.start + 1 : size,
    ...(range && { "Content-Range": `bytes ${range.start}-${range.end}/${size}` }),
    "Accept-Ranges": "bytes",
    ETag: etag,
    "Content-Disposition": contentDisposition(file.disposition, file.filename),
    // What users uploaded must never run as a page of this server.
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Referrer-Policy": "no-referrer",
  });
  if (request.method === "HEAD") return void response.end();
  await stream(deps, response, file, range);
}

/** `If-Range` with another tag, or with a date, asks for the whole file. */
function conditionHolds(request: IncomingMessage, etag: string): boolean {
  const condition = request.headers["if-range"];
  return condition === undefined || condition === etag;
}

async function stream(deps: Deps, response: ServerResponse, file: Download, range: { start: number; end: number } | undefined) {
  response.setTimeout(deps.config.uploads.idleMs, () => response.destroy());
  try {
    await pipeline(await deps.blobs.read(file.blobKey, range), response);
  } catch (error) {
    // A client that goes away is nobody's error.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}
