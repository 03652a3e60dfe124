import { ApiError, notFound } from "../lib/api-error.ts";
import type { ServedOperation } from "./execute.ts";
import type { Router } from "./router.ts";

export interface Route extends ServedOperation {
  /** The operation's name in the contract; `upload` for the protocol of uploads. */
  name: string;
  /** The path's parameters, in order. */
  names: readonly string[];
}

export interface MatchedRoute {
  route: Route;
  params: Record<string, string>;
}

const prefix = "/api/v1";

/** Finds the route of a request and its path parameters. 404 for an unknown path, 405 for a method that the path does not have. */
export function matchRoute(router: Router<Route>, method: string, pathname: string): MatchedRoute {
  const found = pathname.startsWith(`${prefix}/`) ? router.match(pathname.slice(prefix.length)) : undefined;
  if (!found) throw notFound();
  const route = found.methods.get(method) ?? (method === "HEAD" ? found.methods.get("GET") : undefined);
  if (!route) throw methodNotAllowed([...found.methods.keys()], "path");
  const params: Record<string, string> = {};
  for (const [index, name] of route.names.entries()) params[name] = found.values[index]!;
  return { route, params };
}

/** 405 with the allowed methods. HEAD is allowed where GET is. */
export function methodNotAllowed(methods: string[], what: "path" | "page"): ApiError {
  const allowed = methods.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ");
  return new ApiError("METHOD_NOT_ALLOWED", `This ${what} accepts ${allowed} only.`, { headers: { Allow: allowed } });
}
