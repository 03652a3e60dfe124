import { pages } from "../../../src/contract/pages/addresses.ts";
import type { Config } from "../../config/schema.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { notFound } from "../../lib/api-error.ts";
import type { Page } from "../types.ts";
import { authorizationServerMetadata, resourceMetadata } from "./resource-metadata.ts";

const validMs = 180 * 86_400_000;

/** `/.well-known`: what programs look for at a fixed address. */
export const wellKnown = (config: Pick<Config, "baseUrl" | "security">, name: string, now: () => number): Page => {
  const documents: Record<string, Page> = {
    [pages.mcpMetadata()]: resourceMetadata(config.baseUrl, name),
    [pages.authorizationServer()]: authorizationServerMetadata(config.baseUrl),
  };
  const security = securityTxt(config, now);
  return (request, response, url, origin) => (documents[url.pathname] ?? security)(request, response, url, origin);
};

/** `/.well-known/security.txt` (RFC 9116): where to report a vulnerability, if the operator says so. */
const securityTxt =
  ({ baseUrl, security: { contact } }: Pick<Config, "baseUrl" | "security">, now: () => number): Page =>
  async (request, response, url) => {
    if (contact === null || url.pathname !== "/.well-known/security.txt") throw notFound();
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    const fields = {
      Contact: contact,
      Expires: new Date(now() + validMs).toISOString(),
      "Preferred-Languages": "en",
      Canonical: `${baseUrl}/.well-known/security.txt`,
      Policy: `${baseUrl}${pages.topic("security")}`,
    };
    const text = Object.entries(fields)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join("");
    response.writeHead(200, { "Content-Type": "text/plain; charset=utf-8", "Content-Length": Buffer.byteLength(text) });
    response.end(text);
  };
