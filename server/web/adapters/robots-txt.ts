import { pages, portal, studio } from "../../../src/contract/pages/addresses.ts";
import type { Config } from "../../config/schema.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import type { Page } from "../types.ts";

type About = Pick<Config, "baseUrl" | "publishing">;

/** Not shares and checkouts: they tell search engines by themselves, who have to read them for that. */
const text = ({ baseUrl, publishing }: About) => `User-agent: *
Disallow: /api/
Disallow: ${studio.inbox()}
Disallow: ${portal.offers()}
${publishing.indexable ? `\nSitemap: ${baseUrl}${pages.sitemap()}\n` : ""}
# For programs that read: ${baseUrl}/llms.txt, the documentation is at ${baseUrl}${pages.docs()}
`;

/** `/robots.txt` (RFC 9309): what crawlers find nothing in, and where the published videos are listed. */
export const robots =
  (about: About): Page =>
  async (request, response, url) => {
    if (url.pathname !== "/robots.txt") throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const body = text(about);
    response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": Buffer.byteLength(body) });
    response.end(body);
  };
