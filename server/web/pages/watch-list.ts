import type { ServerResponse } from "node:http";
import type { CallOperation, Data } from "../../../src/contract/index.ts";
import { pages } from "../../../src/contract/pages/addresses.ts";
import type { Cue } from "../../../src/contract/text/cues.ts";
import { positionText } from "../../../src/contract/text/position.ts";
import type { CallAs } from "../../http/call-operation.ts";
import type { Target } from "../../http/target.ts";
import { notFound } from "../../lib/api-error.ts";
import type { PictureSize } from "../../lib/jpeg.ts";
import { escapeHtml } from "../../mail/texts.ts";
import { html, type Markup, type PageContent } from "../html.ts";
import type { Site } from "../site.ts";
import type { Page } from "../types.ts";

export interface WatchParts {
  callAs: CallAs;
  site: Site;
  /** Whether search engines may list the pages. */
  isIndexable: boolean;
  sendFile: Page;
  wasRemoved(slotId: string): Promise<boolean>;
  /** Where a video platform shows the video. Undefined for one that none shows. */
  elsewhere(slotId: string): Promise<string | undefined>;
  cuesOf(slotId: string): Promise<readonly Cue[] | undefined>;
  posterSize(slotId: string): Promise<PictureSize | undefined>;
}

type Video = Data<"listPublishedVideos">["videos"][number];

/** How many videos a page and the feed have. */
const perPage = 24;
const inFeed = 50;

export const watchStyle = `
.videos { list-style: none; margin: 1rem 0 0; padding: 0; display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); }
.videos a.film { display: block; aspect-ratio: 16 / 9; background: var(--line); border-radius: .4rem; overflow: hidden; }
.videos img { width: 100%; height: 100%; object-fit: cover; display: block; }
.videos p { margin: .4rem 0 0; overflow-wrap: anywhere; }
`;

const item = ({ slotId, gameId, gameName, playtesterName, publishedAt, posterUrl, durationSeconds }: Video): Markup =>
  html`<li><a class="film" href="${pages.watch(slotId)}" tabindex="-1" aria-hidden="true">${posterUrl && html`<img src="${pages.watchPoster(slotId)}" alt="" loading="lazy">`}</a>
<p><a href="${pages.watch(slotId)}">${playtesterName} plays ${gameName}</a></p>
<p class="soft"><time datetime="${publishedAt}">${publishedAt.slice(0, 10)}</time>${typeof durationSeconds === "number" && ` · ${positionText(durationSeconds * 1000)}`} · <a href="${pages.watchedGame(gameId)}">${gameName}</a></p></li>`;

/** The published videos, newest first: all, or those of a game. */
export async function listPage(
  { site, isIndexable }: WatchParts,
  call: CallOperation,
  url: Target,
  game?: string,
): Promise<PageContent> {
  const cursor = url.searchParams.get("cursor") ?? undefined;
  const { data, meta } = await call("listPublishedVideos", { query: { limit: perPage, cursor, game } });
  const [first] = data.videos;
  // A game without a published video has no page: it would tell which ids exist.
  if (game !== undefined && !first) throw notFound();
  const title = game === undefined ? "Playtests on video" : `Playtests of ${first!.gameName}`;
  const path = game === undefined ? pages.watched() : pages.watchedGame(game);
  const about = game !== undefined && first!.gameUrl;
  const body = html`${about && html`<p><a href="${about}" rel="noopener">About ${first!.gameName}</a></p>`}
${data.videos.length > 0 ? html`<ul class="videos">${data.videos.map(item)}</ul>` : html`<p>No video is shown here yet.</p>`}
${typeof meta.cursor === "string" && html`<p class="more"><a href="${path}?cursor=${encodeURIComponent(meta.cursor)}">Show older</a></p>`}
<p class="soft"><a href="${pages.watchedFeed()}">Feed of new videos</a>${game !== undefined && html` · <a href="${pages.watched()}">All videos</a>`}</p>`;
  const description =
    game === undefined
      ? "People play new games and say what they think, on video."
      : `People play ${first!.gameName} and say what they think, on video.`;
  const preview = { type: "website", site_name: site.name, title, description, url: site.baseUrl + path };
  return {
    title,
    wide: true,
    body,
    isIndexable,
    feed: pages.watchedFeed(),
    preview: first?.posterUrl ? { ...preview, image: first.posterUrl } : preview,
    assets: { style: "watch.css" },
  };
}

/** The newest videos as RSS 2.0. */
export async function feedPage({ site }: WatchParts, call: CallOperation, response: ServerResponse): Promise<void> {
  const { videos } = (await call("listPublishedVideos", { query: { limit: inFeed } })).data;
  const [latest] = videos;
  const self = site.baseUrl + pages.watchedFeed();
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
<title>${xml(site.name)}: playtests on video</title>
<link>${xml(site.baseUrl + pages.watched())}</link>
<description>Playtests of games on video.</description>
<atom:link href="${xml(self)}" rel="self" type="application/rss+xml"/>
${latest ? `<lastBuildDate>${rfc822(latest.publishedAt)}</lastBuildDate>\n` : ""}${videos.map(entry).join("\n")}
</channel></rss>
`;
  response.writeHead(200, { "Content-Type": "application/rss+xml; charset=utf-8", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}

/** A text in XML, which has no control characters. */
const xml = (text: string) => escapeHtml(text.replace(/[\p{Cc}\ufffe\uffff]+/gu, " "));

const entry = ({ playtesterName, gameName, pageUrl = "", publishedAt }: Video) => `<item>
<title>${xml(`${playtesterName} plays ${gameName}`)}</title>
<link>${xml(pageUrl)}</link>
<guid>${xml(pageUrl)}</guid>
<description>${xml(`A playtest of ${gameName} on video.`)}</description>
<pubDate>${rfc822(publishedAt)}</pubDate>
</item>`;

const rfc822 = (iso: string) => new Date(iso).toUTCString();
