import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { safeName } from "../../src/contract/files/media.ts";
import type { Deps } from "../app/deps.ts";
import { filePolicy } from "../http/file-policy.ts";
import { contentDisposition, parseRange } from "../http/range.ts";
import { ApiError, notFound } from "../lib/api-error.ts";
import { sha256 } from "../lib/secrets.ts";
import type { Download } from "../lib/signed-links.ts";

/** Streams a stored file, or the part given by `Range`, as fast as the client reads it. */
export async function sendFile(deps: Deps, request: IncomingMessage, response: ServerResponse, file: Download): Promise<void> {
  const size = await deps.blobs.size(file.blobKey);
  if (size === undefined) throw notFound();
  // A stored file never changes, so its key makes a strong ETag.
  const etag = `"${sha256(file.blobKey).slice(0, 32)}"`;
  const range = parseRange(conditionHolds(request, etag) ? request.headers.range : undefined, size);
  if (range === "unsatisfiable")
    throw new ApiError("RANGE_NOT_SATISFIABLE", `The requested range is outside of the file, which has ${size} bytes.`, {
      headers: { "Content-Range": `bytes */${size}` },
    });
  const contents = request.method === "HEAD" ? undefined : await deps.blobs.read(file.blobKey, range);
  // Removed since its size was read.
  if (request.method !== "HEAD" && !contents) throw notFound();
  // Pipes nothing into a connection that the client has closed, which would leave the file open.
  if (response.destroyed) return void contents?.destroy();
  response.writeHead(range ? 206 : 200, {
    "Content-Type": file.contentType,
    "Content-Length": range ? range.end - range.start + 1 : size,
    ...(range && { "Content-Range": `bytes ${range.start}-${range.end}/${size}` }),
    "Accept-Ranges": "bytes",
    ETag: etag,
    "Content-Disposition": contentDisposition(file.disposition, safeName(file.filename, file.contentType)),
    "Content-Security-Policy": filePolicy(file.contentType),
    "Referrer-Policy": "no-referrer",
  });
  if (!contents) return void response.end();
  await stream(deps, response, contents);
}

/** When `If-Range` has another ETag, or a date, the whole file is sent. */
function conditionHolds(request: IncomingMessage, etag: string): boolean {
  const condition = request.headers["if-range"];
  return condition === undefined || condition === etag;
}

async function stream(deps: Deps, response: ServerResponse, contents: Readable) {
  response.setTimeout(deps.config.uploads.idleMs, () => response.destroy());
  try {
    await pipeline(contents, response);
  } catch (error) {
    // A client that closes the connection is not an error.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}
