import { pages, portal, studio } from "../../../src/contract/pages/addresses.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import type { Page } from "../types.ts";

/** Not shares and checkouts: they tell search engines by themselves, who have to read them for that. */
const text = (baseUrl: string) => `User-agent: *
Disallow: /api/
Disallow: ${studio.inbox()}
Disallow: ${portal.offers()}

# For programs that read: ${baseUrl}/llms.txt, the documentation is at ${baseUrl}${pages.docs()}
`;

/** `/robots.txt` (RFC 9309): what crawlers find nothing in. */
export const robots =
  ({ baseUrl }: { baseUrl: string }): Page =>
  async (request, response, url) => {
    if (url.pathname !== "/robots.txt") throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const body = text(baseUrl);
    response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": Buffer.byteLength(body) });
    response.end(body);
  };
