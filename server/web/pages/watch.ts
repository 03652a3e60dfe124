import type { ServerResponse } from "node:http";
import type { Data } from "../../../src/contract/index.ts";
import { pages } from "../../../src/contract/pages/addresses.ts";
import { parsePosition, positionText } from "../../../src/contract/text/position.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import type { PictureSize } from "../../lib/jpeg.ts";
import { html, type Markup, redirect, sendPage } from "../html.ts";
import { player, playerScript, playerStyle } from "../player/markup.ts";
import { transcript, transcriptScript } from "../player/transcript.ts";
import type { Site } from "../site.ts";
import type { Page } from "../types.ts";
import { feedPage, listPage, type WatchParts } from "./watch-list.ts";

type Video = Data<"getPublishedVideo">["video"];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const files = ["video", "poster", "captions", "cues"];

/**
 * The published videos, for everybody: `/watch` and `/watch/games/<id>` list them, `/watch/feed.xml` is their feed, `/watch/<slotId>` shows
 * one and `/watch/<slotId>/embed` only its player, for other sites; `…/video`, `…/poster`, `…/captions` and `…/cues` are its files. 410 for
 * a video that was removed. One that a platform shows is not shown here: its page leads there.
 */
export function watch(parts: WatchParts): Page {
  return async (request, response, url, origin) => {
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const [, , first, second, ...more] = url.pathname.split("/");
    if (more.length > 0) throw notFound();
    const call = parts.callAs(undefined, origin);
    if (first === undefined || first === "") return sendPage(response, 200, await listPage(parts, call, url));
    if (first === "feed.xml" && second === undefined) return feedPage(parts, call, response);
    if (first === "games" && uuid.test(second ?? "")) return sendPage(response, 200, await listPage(parts, call, url, second));
    if (!uuid.test(first)) throw notFound();
    if (await parts.wasRemoved(first)) return sendRemoved(response);
    if (second !== undefined && files.includes(second)) return parts.sendFile(request, response, url, origin);
    const elsewhere = await parts.elsewhere(first);
    if (elsewhere !== undefined && second === undefined) return redirect(response, elsewhere);
    if (elsewhere !== undefined && second === "embed") return sendLink(response, elsewhere);
    const { video } = (await call("getPublishedVideo", { params: { id: first } })).data;
    const startMs = parsePosition(url.searchParams.get("t") ?? "");
    if (second === "embed") return sendEmbedded(response, video, startMs);
    if (second !== undefined) throw notFound();
    const from = Number(url.searchParams.get("cue") ?? Number.NaN);
    sendPage(response, 200, await videoPage(parts, video, { startMs, from: Number.isInteger(from) ? from : undefined }));
  };
}

const titleOf = ({ playtesterName, gameName }: Video) => `${playtesterName} plays ${gameName}`;

function playerOf(video: Video, startMs: number | undefined): Markup {
  const { slotId } = video;
  return player({
    src: pages.watchVideo(slotId),
    label: titleOf(video),
    ...(video.posterUrl && { poster: pages.watchPoster(slotId) }),
    ...(video.captionsUrl && { captions: pages.watchCaptions(slotId) }),
    ...(startMs !== undefined && { startMs }),
    ...(typeof video.durationSeconds === "number" && { lengthMs: video.durationSeconds * 1000 }),
  });
}

/** A video with its transcript, whose every line leads to its place, and the link to the game. */
async function videoPage(
  parts: WatchParts,
  video: Video,
  { startMs, from }: { startMs: number | undefined; from: number | undefined },
) {
  const { slotId, gameId, gameName, gameUrl, publishedAt, durationSeconds } = video;
  const title = titleOf(video);
  const cues = (await parts.cuesOf(slotId)) ?? [];
  const length = typeof durationSeconds === "number" && html` · ${positionText(durationSeconds * 1000)}`;
  const body = html`${playerOf(video, startMs)}
<p class="soft">Published <time datetime="${publishedAt}">${publishedAt.slice(0, 10)}</time>${length}</p>
<p><a href="${pages.watchedGame(gameId)}">All videos of ${gameName}</a>${gameUrl && html` · <a href="${gameUrl}" rel="noopener">About ${gameName}</a>`}</p>
${cues.length > 0 && transcript({ cues, cuesPath: pages.watchCues(slotId), startMs, from })}
<details><summary>Embed this video</summary><pre class="wrap"><code>${embedCode(parts.site, video)}</code></pre></details>`;
  return {
    title,
    wide: true,
    body,
    isIndexable: parts.isIndexable,
    assets: { style: playerStyle, scripts: cues.length > 0 ? [playerScript, transcriptScript] : [playerScript] },
    preview: previewOf(parts.site, video, await parts.posterSize(slotId)),
  };
}

const embedCode = ({ baseUrl }: Site, video: Video) =>
  `<iframe src="${baseUrl}${pages.watchEmbedded(video.slotId)}" title="${titleOf(video).replaceAll('"', "&quot;")}" width="640" height="420" allow="fullscreen"></iframe>`;

/** Open Graph properties, for previews of a link to the page. */
const previewOf = (site: Site, video: Video, size: PictureSize | undefined): Record<string, string> => ({
  type: "video.other",
  site_name: site.name,
  title: titleOf(video),
  description: `A playtest of ${video.gameName} on video.`,
  url: video.pageUrl ?? site.baseUrl + pages.watch(video.slotId),
  ...(video.posterUrl && { image: video.posterUrl }),
  ...(video.posterUrl && size && { "image:width": String(size.width), "image:height": String(size.height) }),
  video: video.videoUrl,
});

/** Only the player, which other sites may show in a frame. */
const sendEmbedded = (response: ServerResponse, video: Video, startMs: number | undefined) =>
  sendPage(response, 200, {
    title: titleOf(video),
    wide: true,
    isEmbeddable: true,
    body: html`${playerOf(video, startMs)}<p class="soft"><a href="${pages.watch(video.slotId)}" target="_blank" rel="noopener">Open the page of this video</a></p>`,
    assets: { style: playerStyle, scripts: [playerScript] },
  });

/** What other sites show instead of a player, because a platform's page cannot be shown in a frame. */
const sendLink = (response: ServerResponse, url: string) =>
  sendPage(response, 200, {
    title: "Video",
    isEmbeddable: true,
    body: html`<p><a href="${url}" target="_blank" rel="noopener">Watch this video on ${new URL(url).hostname}</a></p>`,
  });

const sendRemoved = (response: ServerResponse) =>
  sendPage(response, 410, { title: "Removed", body: html`<p>This video was published here, and was removed since.</p>` });
