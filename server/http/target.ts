import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isAddress } from "../../src/contract/text/addresses.ts";
import { isLoopback } from "../lib/addresses.ts";
import { ApiError, forbidden } from "../lib/api-error.ts";

/** The path and query of a request. */
export type Target = Pick<URL, "pathname" | "search" | "searchParams">;

const noQuery = Object.freeze(new URLSearchParams());

/** Parses the request target. 400 if it is not a path. */
export function targetOf(request: IncomingMessage): Target {
  const target = request.url ?? "/";
  // Nearly all requests have a plain path, which needs no parsing. For others, the URL parser also resolves `..`.
  if (/^(\/[\w-]+)+$/.test(target)) return { pathname: target, search: "", searchParams: noQuery };
  // Refuses absolute-form targets, because their host may differ from the Host header.
  if (!target.startsWith("/") || !URL.canParse(`http://localhost${target}`))
    throw new ApiError("BAD_REQUEST", "The request target must be a path.");
  return new URL(`http://localhost/${target.replace(/^\/+/, "")}`);
}

/** The path for the log, without secret tokens: those in queries (signed and mailed links) and in the paths of checkouts and shares. */
export const pathForLog = (request: IncomingMessage) =>
  pathOf(request)
    .replace(/\/+(checkout|share)\/+[^/]+/g, "/$1/:token")
    .slice(0, 200);

/** The path as the router sees it: a detour such as `/x/../share` would hide a token from what removes it. */
function pathOf(request: IncomingMessage): string {
  try {
    return targetOf(request).pathname;
  } catch {
    return request.url?.split("?")[0] ?? "";
  }
}

/**
 * 403 for a request to a sandbox from another site. The sandbox's routes require no key, so a malicious page could otherwise call them
 * through the operator's browser: across origins, or by a host name that resolves to this machine (DNS rebinding).
 */
export function requireLocal({ headers, method }: Pick<IncomingMessage, "headers" | "method">): void {
  if (!usualHost.test(headers.host ?? "") && !isLocal(hostnameOf(headers.host)))
    throw forbidden(
      "A sandbox accepts requests only at localhost, 127.0.0.1 and [::1]. Nothing was done. Use one of these as the host.",
    );
  if (isForeign(headers, method))
    throw forbidden("A sandbox accepts no requests from pages of another origin. Nothing was done.");
}

/** The usual hosts of a sandbox, which are recognized without a URL parser. */
const usualHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** The host name of a Host header. Empty if the header is not just a name and a port, because a URL parser would ignore the rest. */
const hostnameOf = (host = "") =>
  /^[^/?#@\\\s]+$/.test(host) && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";

function isLocal(hostname: string): boolean {
  if (/^(.+\.)?localhost$/.test(hostname)) return true;
  const address = hostname.replace(/^\[|\]$/g, "");
  return isAddress(address) && isLoopback(address);
}

/** Whether another site sent the request. With the no-referrer policy, browsers send the origin `null` even for this server's own forms. */
export function isForeign({ origin, host, "sec-fetch-site": site }: IncomingHttpHeaders, method = "GET"): boolean {
  // No origin: a program, or a browser that follows a link, which only reads.
  if (origin === undefined) return site === "cross-site" && method !== "GET" && method !== "HEAD";
  if (origin === "null") return site !== "same-origin";
  return origin !== `http://${host}`;
}
