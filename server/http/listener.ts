import type { IncomingMessage, ServerResponse } from "node:http";
import { authorize } from "../accounts/authenticate.ts";
import type { Deps } from "../app/deps.ts";
import { Problem } from "../lib/problem.ts";
import { discardRest, readJson } from "./body.ts";
import { RawResponse } from "./call.ts";
import type { Execute } from "./execute.ts";
import { createIdentify } from "./identify.ts";
import { type Headers, problemOf, renderProblem, send, setHeaders } from "./reply.ts";
import { createRequestIds } from "./request-id.ts";
import type { Router } from "./router.ts";
import { type MatchedRoute, matchRoute, type Route } from "./routes.ts";
import { pathForLog, type Target, targetOf } from "./target.ts";

/** Answers everything outside `/api`, its own errors included. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse, url: Target, requestId: string) => Promise<void>;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** Headers of the response, whatever it will be. */
  headers: Headers;
}

/** From an HTTP request to its response: the one place where an error of the API becomes a reply. */
export function createListener(deps: Deps, router: Router<Route>, execute: Execute, pages: PageHandler) {
  const { bodyBytes: bytes, requestTimeoutMs: withinMs } = deps.config.http;
  const identify = createIdentify(deps);
  const newRequestId = createRequestIds(deps.randomBytes);

  async function listen(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = newRequestId();
    const headers: Headers = { "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" };
    const exchange = { request, response, requestId, headers };
    const started = deps.clock.real();
    try {
      const target = targetOf(request);
      await (isApi(target) ? serveApi(exchange, target) : servePage(exchange, target));
    } catch (error) {
      sendError(exchange, error);
    } finally {
      const ms = deps.clock.real() - started;
      deps.log.access({ requestId, method: request.method, path: pathForLog(request), status: response.statusCode, ms });
    }
  }

  async function serveApi({ request, response, requestId, headers }: Exchange, target: Target): Promise<void> {
    const { route, params } = await match(request, target, headers);
    const principal = await identify(request, route.endpoint, headers);
    if (principal) authorize(route.endpoint, principal);
    const query = target.search ? Object.fromEntries(target.searchParams) : {};
    const body = route.endpoint.media === "tus" ? undefined : await readJson(request, { bytes, withinMs });
    const idempotencyKey = request.headers["idempotency-key"] as string | undefined;
    const input = { principal, params, query, body, headers: request.headers, idempotencyKey, requestId };
    const reply = await execute(route, input);
    if (reply instanceof RawResponse) {
      setHeaders(response, headers);
      return reply.write(request, response);
    }
    send(response, reply, headers);
    discardRest(request);
  }

  /** What no route answers counts too: against its key if that is good, else against its address. */
  async function match(request: IncomingMessage, target: Target, headers: Headers): Promise<MatchedRoute> {
    try {
      return matchRoute(router, request.method ?? "", target.pathname);
    } catch (lost) {
      await identify(request, { access: "optional" }, headers).catch((error) => {
        if (!(error instanceof Problem) || error.code === "RATE_LIMITED") throw error;
      });
      throw lost;
    }
  }

  async function servePage({ request, response, requestId, headers }: Exchange, target: Target): Promise<void> {
    setHeaders(response, headers);
    await pages(request, response, target, requestId);
    discardRest(request);
  }

  function sendError({ request, response, requestId, headers }: Exchange, error: unknown): void {
    const problem = problemOf(error);
    if (problem.status >= 500 && error !== problem)
      deps.log.error({ err: error, requestId, method: request.method, path: pathForLog(request) }, "request failed");
    if (response.headersSent) return void response.destroy();
    discardRest(request);
    send(response, renderProblem(problem, { requestId, timestamp: new Date(deps.clock.now()).toISOString() }), headers);
  }

  return listen;
}

const isApi = ({ pathname }: Target) => /^\/api(\/|$)/.test(pathname);
