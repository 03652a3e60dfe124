import type { IncomingHttpHeaders } from "node:http";
import { permits } from "../../src/contract/endpoint.ts";
import { pages } from "../../src/contract/pages/addresses.ts";
import { isAddress } from "../../src/contract/text/addresses.ts";
import type { Toolset } from "../../src/contract/text/toolsets.ts";
import type { Principal } from "../http/call.ts";
import { isLoopback } from "../lib/addresses.ts";
import { ApiError, forbidden } from "../lib/api-error.ts";

const isLocal = (hostname: string) =>
  /^(.+\.)?localhost$/.test(hostname) ||
  (isAddress(hostname.replace(/^\[|\]$/g, "")) && isLoopback(hostname.replace(/^\[|\]$/g, "")));

/** The host name of a `Host` header; empty for what is none. */
const nameOf = (host = "") =>
  /^[^/?#@\\\s]+$/.test(host) && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";

/**
 * 403 for a request by another host name or from a page of another origin. A page could otherwise reach a server on its visitor's network
 * by a name that resolves to it (DNS rebinding).
 */
export function requireOwnHost({ host, origin }: IncomingHttpHeaders, baseUrl: string): void {
  const own = new URL(baseUrl);
  const name = nameOf(host);
  if (name !== own.hostname && !isLocal(name))
    throw forbidden(`This address answers at ${own.host} only. Nothing was done. A proxy must pass on the Host header.`);
  if (origin !== undefined && origin !== own.origin && origin !== `http://${host}`)
    throw forbidden("This address takes no requests from pages of other origins. Nothing was done.");
}

const metadata = (baseUrl: string) => `resource_metadata="${baseUrl}${pages.mcpMetadata()}"`;

/** A refused API key with where to learn how to sign in (RFC 9728, section 5.1, and RFC 6750, section 3), and what to ask for then. */
export function challenged(
  error: unknown,
  { authorization }: IncomingHttpHeaders,
  { baseUrl, allowed }: { baseUrl: string; allowed: readonly Toolset[] },
): unknown {
  if (!(error instanceof ApiError) || error.code !== "UNAUTHORIZED") return error;
  const invalid = authorization === undefined ? "" : `error="invalid_token", `;
  const headers = { ...error.headers, "WWW-Authenticate": `Bearer ${invalid}scope="${allowed.join(" ")}", ${metadata(baseUrl)}` };
  return new ApiError(error.code, error.message, { headers, cause: error });
}

/** 403 for an API key that is not a game owner's, or lacks the scope. */
export function requireOwner({ role, scopes }: Principal, baseUrl: string): void {
  if (permits(["game_owner"], { role, scopes: [...scopes] })) return;
  throw new ApiError("FORBIDDEN", "The API key does not have the required scope: `game_owner`. Nothing was done.", {
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="game_owner", ${metadata(baseUrl)}` },
  });
}
