import { buffer } from "node:stream/consumers";
import { readCues, writeCues } from "../../../src/contract/text/cues.ts";
import type { Deps } from "../../app/deps.ts";
import { ApiError, notFound } from "../../lib/api-error.ts";
import { jpegHeadBytes, jpegSize, type PictureSize } from "../../lib/jpeg.ts";
import type { Download } from "../../lib/signed-links.ts";
import { posterOf } from "../../playtests/moments/stills-store.ts";
import { stillFile } from "../../playtests/moments/views.ts";
import { find, type PublishedVideoRow } from "../../playtests/publications/public-store.ts";
import { playerNames } from "../../playtests/teams/players.ts";
import { sendFile } from "../../uploads/downloads.ts";
import { cuesAsJson } from "../player/transcript.ts";
import type { Page } from "../types.ts";

const inline = { disposition: "inline" } as const;

async function fileOf(deps: Deps, video: PublishedVideoRow, part: string): Promise<Download> {
  const { blob_key: blobKey, content_type: contentType } = video;
  // Whoever plays may have put their name into that of the file.
  if (part === "video") return { blobKey, filename: "video", contentType, ...inline };
  const poster = await deps.store.read((q) => posterOf(q, video.id));
  if (!poster) throw notFound();
  return stillFile(poster, "inline");
}

/** How large the poster of a published video is. Undefined without one, and while the store of files is away: a page is shown without it. */
export async function posterSize(deps: Deps, slotId: string): Promise<PictureSize | undefined> {
  const poster = await deps.store.read((q) => posterOf(q, slotId));
  return poster && sizeOf(deps, stillFile(poster, "inline").blobKey).catch(unlessAway);
}

function unlessAway(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 503) throw error;
}

async function sizeOf(deps: Deps, blobKey: string): Promise<PictureSize | undefined> {
  const bytes = (await deps.blobs.size(blobKey)) ?? 0;
  const head = bytes > 0 && (await deps.blobs.read(blobKey, { start: 0, end: Math.min(bytes, jpegHeadBytes) - 1 }));
  return head ? jpegSize(await buffer(head)) : undefined;
}

/** The transcript without the names of speakers. Undefined where there is none. */
export async function publishedCues(deps: Deps, slotId: string) {
  const [video, hidden] = await deps.store.read(async (q) => [await find(q, slotId), await playerNames(q, slotId)]);
  const text = video?.captions_key && (await deps.blobs.text(video.captions_key));
  return text ? readCues(text, { hidden }) : undefined;
}

/**
 * The files of a published video: `/watch/<slotId>/video`, which supports `Range`, `…/poster`, an image of it, `…/captions` in WebVTT, and
 * `…/cues`, the same for the script of its page.
 */
export const publishedVideo =
  (deps: Deps): Page =>
  async (request, response, url) => {
    const [, , slotId = "", part = ""] = url.pathname.split("/");
    const video = await deps.store.read((q) => find(q, slotId));
    if (!video) throw notFound();
    // Other sites show it in their previews of a link.
    if (part === "poster") response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    if (part === "video" || part === "poster") return sendFile(deps, request, response, await fileOf(deps, video, part));
    const cues = await publishedCues(deps, slotId);
    if (!cues) throw notFound();
    const [type, text] = part === "cues" ? ["application/json", cuesAsJson(cues)] : ["text/vtt; charset=utf-8", writeCues(cues)];
    response.writeHead(200, { "Content-Type": type, "Content-Length": Buffer.byteLength(text) });
    response.end(request.method === "HEAD" ? undefined : text);
  };
