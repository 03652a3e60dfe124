import type { IncomingMessage, ServerResponse } from "node:http";
import { pages } from "../../../src/contract/pages/addresses.ts";
import { parsePosition } from "../../../src/contract/text/position.ts";
import { setHeaders } from "../../http/reply.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import type { Target } from "../../http/target.ts";
import { ApiError, notFound } from "../../lib/api-error.ts";
import type { Download } from "../../lib/signed-links.ts";
import type { OpenShare, PublicShares, SharedImage } from "../../sharing/shares/public.ts";
import { type PageContent, redirect, sendPage } from "../html.ts";
import type { PageLimits } from "../limits.ts";
import type { Site } from "../site.ts";
import type { Page, ReadForm } from "../types.ts";
import { named } from "./dead-link.ts";
import { endedPage, listPage, passwordPage, videoPage } from "./share-views.ts";

export interface SharePages {
  shares: PublicShares;
  sendFile(request: IncomingMessage, response: ServerResponse, file: Download): Promise<void>;
  readForm: ReadForm;
  limits: PageLimits;
  site: Site;
}

/** A file of one video of a share. */
interface Part {
  slotId: string;
  part: string;
  /** The moment of a still image. */
  item: string | undefined;
}

const imageSizes = new Map<string, SharedImage["size"]>([
  ["stills", "whole"],
  ["thumbnails", "small"],
]);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where a page without scripts starts the video (ms): `?t=761`, in seconds, or `?t=12m41s`. */
const startOf = ({ searchParams }: Target) => parsePosition(searchParams.get("t") ?? "") ?? 0;

/** Undefined for what is not there. Other errors stay errors. */
function noneIfNotFound(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

/**
 * `/share/<token>`: what an owner shares, public. `/share/<token>/<slotId>`: one video of a playtest, `…/video`, `…/captions`,
 * `…/poster`, `…/stills/<momentId>` and `…/thumbnails/<momentId>` its files.
 * The token is looked up for each of them, so that none outlives the share. A password opens all of them in one browser.
 */
export function share({ shares, sendFile, readForm, limits, site }: SharePages): Page {
  return async (request, response, url, { client }) => {
    const [, , token = "", slotId, part, item, ...more] = url.pathname.split("/");
    const isImage = imageSizes.has(part ?? "") && item !== undefined && uuid.test(item);
    if ((slotId !== undefined && !uuid.test(slotId)) || (item !== undefined && !isImage) || more.length > 0) throw notFound();
    setHeaders(response, { "X-Robots-Tag": "noindex, nofollow, noarchive" });
    if (part !== undefined) return sendPart(request, response, token, { slotId: slotId!, part, item });
    if (!["GET", "HEAD", "POST"].includes(request.method!)) throw methodNotAllowed(["GET", "POST"], "page");
    limits.perAddress(request, "keyless");
    const opened = await shares.open(token, request.headers).catch(noneIfNotFound);
    if (opened === undefined) return sendEnded(response, await shares.expiredAt(token));
    if (request.method === "POST") {
      if (opened !== "locked") return redirect(response, url.pathname);
      limits.perAddress(request, "password");
      const cookie = await shares.unlock(token, (await readForm(request)).password ?? "", client);
      if (cookie === undefined) return sendPage(response, 403, named(site, passwordPage(true)));
      setHeaders(response, { "Set-Cookie": cookie });
      return redirect(response, url.pathname);
    }
    if (opened === "locked") return sendPage(response, 200, named(site, passwordPage(false)));
    const page = await pageOf(request, url, opened, { token, slotId });
    const viewed = request.method === "GET" ? await shares.countView(token, request.headers) : undefined;
    if (viewed !== undefined) setHeaders(response, { "Set-Cookie": viewed });
    sendPage(response, 200, page);
  };

  /** Says of a link that shows nothing why that is so. */
  function sendEnded(response: ServerResponse, expiredAt: number | undefined): void {
    sendPage(response, expiredAt === undefined ? 404 : 410, endedPage(site, expiredAt));
  }

  async function pageOf(
    request: IncomingMessage,
    url: Target,
    opened: OpenShare,
    { token, slotId }: { token: string; slotId: string | undefined },
  ): Promise<PageContent> {
    const path = pages.share(token);
    const shown = slotId ?? (opened.isSingle ? opened.videos[0]!.slotId : undefined);
    if (shown === undefined) return listPage(site, path, opened);
    return videoPage(site, opened, await shares.video(token, request.headers, shown), { path, startMs: startOf(url) });
  }

  async function sendPart(request: IncomingMessage, response: ServerResponse, token: string, { slotId, part, item }: Part) {
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    // A copy in a cache would outlive the share.
    setHeaders(response, { "Cache-Control": "private, no-store", "Referrer-Policy": "no-referrer" });
    if (part === "video") return sendFile(request, response, await shares.file(token, request.headers, slotId));
    if (part === "poster") return sendFile(request, response, await shares.poster(token, request.headers, slotId));
    const size = imageSizes.get(part);
    if (size !== undefined && item !== undefined)
      return sendFile(request, response, await shares.image(token, request.headers, slotId, { momentId: item, size }));
    if (part !== "captions") throw notFound();
    limits.perAddress(request, "keyless");
    const vtt = await shares.captions(token, request.headers, slotId);
    response.writeHead(200, { "Content-Type": "text/vtt; charset=utf-8", "Content-Length": Buffer.byteLength(vtt) });
    response.end(request.method === "HEAD" ? undefined : vtt);
  }
}
