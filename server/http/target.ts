import type { IncomingMessage } from "node:http";
import { Problem } from "../lib/problem.ts";

/** The path asked for and its query. */
export type Target = Pick<URL, "pathname" | "search" | "searchParams">;

const noQuery = Object.freeze(new URLSearchParams());

/** Path and query of the request. */
export function targetOf(request: IncomingMessage): Target {
  const target = request.url ?? "/";
  // Plain paths, which nearly all are, need no parser. The rest goes through one, which also takes out `..`.
  if (/^(\/[\w-]+)+$/.test(target)) return { pathname: target, search: "", searchParams: noQuery };
  // An absolute-form target may name another host than the Host header does: refuse rather than guess.
  if (!target.startsWith("/") || !URL.canParse(`http://localhost${target}`))
    throw new Problem("BAD_REQUEST", "The request target must be a path.");
  return new URL(`http://localhost/${target.replace(/^\/+/, "")}`);
}

/** Tokens travel in some queries (signed links, mailed links) and in a checkout's path: the log has neither. */
export const pathForLog = (request: IncomingMessage) =>
  request.url
    ?.split("?")[0]
    ?.replace(/^\/checkout\/[^/]+/, "/checkout/:token")
    .slice(0, 200);
