import { pipeline } from "node:stream/promises";
import type { CallOperation } from "../../../src/contract/index.ts";
import { filePolicy } from "../../http/file-policy.ts";
import { ApiError, notFound } from "../../lib/api-error.ts";
import type { Exchange, MediaPart } from "../shared/types.ts";

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
  part: MediaPart;
  /** The id of the slot, moment or clip. */
  id: string;
}

/** The addresses of files, which work without the API key for a while; null for a file that is not there. */
const links: Record<MediaPart, (call: CallOperation, params: { id: string }) => Promise<string | null>> = {
  video: async (call, params) => (await call("getSlotDownloadUrl", { params })).data.downloadUrl,
  captions: async (call, params) => (await call("getSlotTranscript", { params })).data.downloadUrl,
  poster: async (call, params) => (await call("getSlot", { params })).data.slot.posterUrl ?? null,
  still: async (call, params) => (await call("getStill", { params })).data.still.downloadUrl,
  thumbnail: async (call, params) => (await call("getStill", { params })).data.still.thumbnailUrl,
  clipThumbnail: async (call, params) => (await call("getClip", { params })).data.clip.thumbnailUrl,
};

async function linkOf({ call, part, id }: Wanted): Promise<string> {
  const link = await links[part](call, { id });
  if (link === null) throw notFound();
  return link;
}

/** How long a link is used again (ms): much shorter than the hour for which it works. */
const keptMs = 10 * 60_000;
const mostKept = 200;

/** Links that were asked for a moment ago: a browser fetches a video in many parts. */
export class RecentLinks {
  readonly #now: () => number;
  readonly #known = new Map<string, { link: string; until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The link of a file. `fresh`: the last one no longer worked. */
  async of(wanted: Wanted, fresh = false): Promise<string> {
    const key = `${wanted.part} ${wanted.id}`;
    const known = this.#known.get(key);
    if (known && !fresh && known.until > this.#now()) return known.link;
    this.#known.delete(key);
    const link = await linkOf(wanted);
    if (this.#known.size >= mostKept) this.#known.clear();
    this.#known.set(key, { link, until: this.#now() + keptMs });
    return link;
  }
}

/** Opens a link, and once more with a new one when it no longer works. */
async function opened(
  source: MediaSource,
  recent: RecentLinks,
  wanted: Wanted,
  headers: Record<string, string>,
): Promise<Fetched> {
  const found = await source.openLink(await recent.of(wanted), headers);
  if (![401, 403, 404, 410].includes(found.status)) return found;
  (found.stream as { destroy?(): void } | undefined)?.destroy?.();
  return source.openLink(await recent.of(wanted, true), headers);
}

const passedOn = ["range", "if-range"] as const;
const returned = ["content-length", "content-range", "accept-ranges", "etag", "last-modified"] as const;

/** Only media: what another server calls a page must not become one here. */
function typeOf(part: MediaPart, given = ""): string {
  if (part === "captions") return "text/vtt; charset=utf-8";
  if (part !== "video") return "image/jpeg";
  return /^(video|audio)\/[\w.+-]+$/.test(given) ? given : "application/octet-stream";
}

/** Sends a file of a slot or moment from the server whose data is shown. Supports `Range` as far as that server does. */
export async function sendMedia(
  source: MediaSource,
  recent: RecentLinks,
  wanted: Wanted,
  { request, response }: Exchange,
): Promise<void> {
  const headers: Record<string, string> = {};
  for (const name of passedOn) if (typeof request.headers[name] === "string") headers[name] = request.headers[name];
  const found = await opened(source, recent, wanted, headers);
  if (found.status === 404 || found.status === 410) throw notFound();
  if (found.status === 416) throw new ApiError("RANGE_NOT_SATISFIABLE", "The requested range is outside of the file.");
  if ((found.status !== 200 && found.status !== 206) || !found.stream)
    throw new ApiError("SERVICE_UNAVAILABLE", `The file cannot be fetched: its server answered with status ${found.status}.`, {
      // The page tells a file that is still being stored from a server that fails.
      ...(found.status !== 503 && { status: 424 }),
    });
  const kept = returned.flatMap((name) => (found.headers[name] === undefined ? [] : [[name, found.headers[name]] as const]));
  const contentType = typeOf(wanted.part, found.headers["content-type"]);
  response.writeHead(found.status, {
    ...Object.fromEntries(kept),
    "Content-Type": contentType,
    "Content-Security-Policy": filePolicy(contentType),
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
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
