import { pages } from "../../../src/contract/pages/addresses.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import type { Page } from "../types.ts";

/**
 * How a client of the Model Context Protocol signs in (RFC 9728, section 2): with an API key as bearer token. There is no authorization
 * server that hands out tokens, so none is named.
 */
export const resourceMetadata = (baseUrl: string, name: string): Page => {
  const text = JSON.stringify({
    resource: baseUrl + pages.mcp(),
    resource_name: name,
    bearer_methods_supported: ["header"],
    scopes_supported: ["game_owner", "billing"],
    resource_documentation: baseUrl + pages.topic("mcp"),
  });
  return async (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed(["GET"], "page");
    response.writeHead(200, {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(text),
      // Clients in browsers read it before they know whether they may do more.
      "Access-Control-Allow-Origin": "*",
    });
    response.end(text);
  };
};
