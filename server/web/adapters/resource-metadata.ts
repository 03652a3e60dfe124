import { pages } from "../../../src/contract/pages/addresses.ts";
import { methodNotAllowed } from "../../http/routes.ts";
import { grantable } from "../../oauth/rules.ts";
import type { Page } from "../types.ts";

/** A document that programs read at a fixed address. */
const document = (content: object): Page => {
  const text = JSON.stringify(content);
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

/**
 * How a client of the Model Context Protocol signs in (RFC 9728, section 2): with an API key as bearer token, or with a token of the
 * authorization server, which is this server.
 */
export const resourceMetadata = (baseUrl: string, name: string): Page =>
  document({
    resource: baseUrl + pages.mcp(),
    resource_name: name,
    authorization_servers: [baseUrl],
    bearer_methods_supported: ["header"],
    scopes_supported: grantable,
    resource_documentation: baseUrl + pages.topic("mcp"),
  });

/** How clients are connected to an account (RFC 8414, section 2). */
export const authorizationServerMetadata = (baseUrl: string): Page =>
  document({
    issuer: baseUrl,
    authorization_endpoint: baseUrl + pages.authorize(),
    token_endpoint: baseUrl + pages.token(),
    registration_endpoint: baseUrl + pages.registerClient(),
    revocation_endpoint: baseUrl + pages.revokeToken(),
    scopes_supported: grantable,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    service_documentation: baseUrl + pages.topic("mcp"),
  });
