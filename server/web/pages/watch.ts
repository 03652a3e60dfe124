import type { ServerResponse } from "node:http";
import { pages } from "../../../src/contract/pages/addresses.ts";
import { parsePosition } from "../../../src/contract/text/position.ts";
import type { CallAs } from "../../http/call-operation.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import { html, sendPage } from "../html.ts";
import { player, playerScript, playerStyle } from "../player/markup.ts";
import type { Page } from "../types.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const files = ["video", "poster"];

/**
 * `/watch/<slotId>`: a published video, public. `/watch/<slotId>/video`: its file, `…/poster` an image of it. 410 for one that was removed,
 * 404 for any other slot.
 */
export function watch(callAs: CallAs, sendFile: Page, wasRemoved: (slotId: string) => Promise<boolean>): Page {
  return async (request, response, url, origin) => {
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const [, , id = "", part, ...more] = url.pathname.split("/");
    if (!uuid.test(id) || (part !== undefined && !files.includes(part)) || more.length > 0) throw notFound();
    if (await wasRemoved(id)) return sendRemoved(response);
    if (part !== undefined) return sendFile(request, response, url, origin);
    const { video } = (await callAs(undefined, origin)("getPublishedVideo", { params: { id } })).data;
    const { gameName, playtesterName, publishedAt, posterUrl, durationSeconds } = video;
    const poster = posterUrl && pages.watchPoster(id);
    const src = pages.watchVideo(id);
    const startMs = parsePosition(url.searchParams.get("t") ?? "");
    const known = {
      ...(poster && { poster }),
      ...(startMs !== undefined && { startMs }),
      ...(typeof durationSeconds === "number" && { lengthMs: durationSeconds * 1000 }),
    };
    const body = html`${player({ src, label: `Playtest of ${gameName}`, ...known })}
<p class="soft">Published <time datetime="${publishedAt}">${publishedAt.slice(0, 10)}</time>.</p>`;
    const assets = { style: playerStyle, scripts: [playerScript] };
    sendPage(response, 200, { title: `${playtesterName} plays ${gameName}`, wide: true, body, assets });
  };
}

const sendRemoved = (response: ServerResponse) =>
  sendPage(response, 410, { title: "Removed", body: html`<p>This video was published here, and was removed since.</p>` });
