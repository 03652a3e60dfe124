import type { Deps } from "../../app/deps.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import { findPublished, type PublicVideoRow } from "../../playtests/slots/store.ts";
import { sendFile } from "../../uploads/downloads.ts";
import { html, sendPage } from "../html.ts";
import type { Page } from "../types.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `/watch/<slotId>`: a published video, for everybody; `/watch/<slotId>/video`: its bytes, by Range. 404 for any other slot. */
export function watch(deps: Deps): Page {
  return async (request, response, url) => {
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new Problem("METHOD_NOT_ALLOWED", "This page takes GET, HEAD.", { headers: { Allow: "GET, HEAD" } });
    const [, , slotId = "", part, ...more] = url.pathname.split("/");
    const video = uuid.test(slotId) ? await deps.store.read((q) => findPublished(q, slotId)) : undefined;
    if (!video || (part !== undefined && part !== "video") || more.length > 0) throw notFound();
    if (part === undefined) return sendPage(response, 200, pageOf(video));
    const { blob_key: blobKey, filename, content_type: contentType } = video;
    await sendFile(deps, request, response, { blobKey, filename, contentType, disposition: "inline" });
  };
}

const pageOf = (video: PublicVideoRow & { published_at: number }) => ({
  title: `${video.display_name} plays ${video.game_name}`,
  wide: true,
  body: html`<video controls preload="metadata" src="/watch/${video.id}/video" aria-label="Playtest of ${video.game_name}"></video>
<p class="soft">Published <time datetime="${new Date(video.published_at).toISOString()}">${new Date(video.published_at).toISOString().slice(0, 10)}</time>.</p>`,
});
