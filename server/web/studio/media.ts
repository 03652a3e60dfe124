import { pipeline } from "node:stream/promises";
import type { CallOperation } from "../../../src/contract/index.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import type { Exchange, RecordingPart } from "../shared/types.ts";

/** A file of another server, as far as it was asked for. */
interface Fetched {
  status: number;
  headers: Record<string, string>;
  stream?: NodeJS.ReadableStream;
}

/** Fetches files of the server whose data is shown. */
export interface MediaSource {
  /** Opens a signed link, without the API key. */
  openLink(address: string, headers: Record<string, string>): Promise<Fetched>;
}

interface Wanted {
  call: CallOperation;
  part: RecordingPart;
  /** The id of the slot. */
  id: string;
}

/** The address of a file, which works without the API key for a while. */
async function linkOf({ call, part, id }: Wanted): Promise<string> {
  const operation = part === "video" ? "getSlotDownloadUrl" : "getSlotTranscript";
  return (await call(operation, { params: { id } })).data.downloadUrl;
}

const passedOn = ["range", "if-range"] as const;
const returned = ["content-length", "content-range", "accept-ranges", "etag", "last-modified"] as const;

/** Only media: what another server calls a page must not become one here. */
const typeOf = (part: RecordingPart, given = ""): string =>
  part === "captions" ? "text/vtt; charset=utf-8" : /^(video|audio)\/[\w.+-]+$/.test(given) ? given : "application/octet-stream";

/** Sends the video of a slot, or its captions, from the server whose data is shown. Supports `Range` as far as that server does. */
export async function sendMedia(source: MediaSource, wanted: Wanted, { request, response }: Exchange): Promise<void> {
  const headers: Record<string, string> = {};
  for (const name of passedOn) if (typeof request.headers[name] === "string") headers[name] = request.headers[name];
  const found = await source.openLink(await linkOf(wanted), headers);
  if (found.status === 404 || found.status === 410) throw notFound();
  if (found.status === 416) throw new Problem("RANGE_NOT_SATISFIABLE", "The requested range is outside of the file.");
  if ((found.status !== 200 && found.status !== 206) || !found.stream)
    throw new Problem("SERVICE_UNAVAILABLE", `The file cannot be fetched: its server answered with status ${found.status}.`);
  const kept = returned.flatMap((name) => (found.headers[name] === undefined ? [] : [[name, found.headers[name]] as const]));
  response.writeHead(found.status, {
    ...Object.fromEntries(kept),
    "Content-Type": typeOf(wanted.part, found.headers["content-type"]),
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Referrer-Policy": "no-referrer",
  });
  try {
    await pipeline(found.stream, response);
  } catch (error) {
    // A browser that seeks or leaves closes the connection.
    if (!response.destroyed) throw error;
  }
}

/** The longest captions that are read, in bytes: a day of speech is shorter. */
const maxCaptions = 4 * 1024 * 1024;

/** The text of the captions of a slot. Undefined without any. */
export async function readCaptions(source: MediaSource, call: CallOperation, id: string): Promise<string | undefined> {
  try {
    const { status, stream } = await source.openLink(await linkOf({ call, part: "captions", id }), {});
    if (status !== 200 || !stream) return undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream) {
      size += chunk.length;
      if (size > maxCaptions) return undefined;
      chunks.push(Buffer.from(chunk));
    }
    return Buffer.concat(chunks).toString("utf8");
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}
