import { pages } from "../../../src/contract/pages/addresses.ts";
import type { Deps } from "../../app/deps.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import { iso } from "../../lib/time.ts";
import { escapeHtml } from "../../mail/texts.ts";
import { addresses } from "../../playtests/publications/public-store.ts";
import type { Page } from "../types.ts";

/** At most this many videos are listed: with their games they stay below the 50,000 addresses that a sitemap may have. */
const maxVideos = 24_999;

/** `/sitemap.xml`: the pages of published videos and their games. 404 where search engines may not list them. */
export const sitemap =
  ({ config, store }: Deps): Page =>
  async (request, response) => {
    if (!config.publishing.indexable) throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const rows = await store.read((q) => addresses(q, maxVideos));
    const games = new Set(rows.map(({ game_id }) => game_id));
    const of = (path: string, at?: number) =>
      `<url><loc>${escapeHtml(config.baseUrl + path)}</loc>${at === undefined ? "" : `<lastmod>${iso(at)}</lastmod>`}</url>`;
    const urls = [
      of(pages.watched(), rows[0]?.published_at),
      ...[...games].map((id) => of(pages.watchedGame(id))),
      ...rows.map(({ slot_id, published_at }) => of(pages.watch(slot_id), published_at)),
    ];
    const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join("\n")}\n</urlset>\n`;
    response.writeHead(200, { "Content-Type": "application/xml; charset=utf-8", "Content-Length": Buffer.byteLength(text) });
    response.end(text);
  };
