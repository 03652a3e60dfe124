import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { paymentsHeader } from "../../src/contract/text/payments-header.ts";
import { authorize } from "../accounts/authenticate.ts";
import type { Deps } from "../app/deps.ts";
import type { Config } from "../config/schema.ts";
import { ApiError } from "../lib/api-error.ts";
import { type Span, type Tracer, traceOf, withTrace } from "../lib/trace.ts";
import { createClients, createProxyTest } from "./address.ts";
import { discardRest, readJson } from "./body.ts";
import { type Client, type Principal, RawResponse } from "./call.ts";
import type { Origin } from "./call-operation.ts";
import type { Execute } from "./execute.ts";
import { createIdentify } from "./identify.ts";
import { apiErrorOf, failureText, type Headers, renderError, send, setHeaders } from "./reply.ts";
import { createRequestIds } from "./request-id.ts";
import type { Router } from "./router.ts";
import { type MatchedRoute, matchRoute, type Route } from "./routes.ts";
import { pathForLog, requireLocal, type Target, targetOf } from "./target.ts";

/** Handles all requests outside `/api`, including their errors. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse, url: Target, origin: Origin) => Promise<void>;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** Headers to send with the response, also with an error. */
  headers: Headers;
  client: Client;
  /** Who sent it, once that is known. */
  principal?: Principal;
  /** The name of its operation, once that is known; `page` outside of the API. */
  operation?: string;
}

/** Creates the listener that handles each HTTP request. It is the only place that converts errors of the API to replies. */
export function createListener(deps: Deps, router: Router<Route>, execute: Execute, pages: PageHandler) {
  const { bodyBytes, requestTimeoutMs: withinMs } = deps.config.http;
  const identify = createIdentify(deps);
  const common = commonHeaders(deps.config);
  const clientOf = createClients(deps.config);
  const requestIdOf = createRequestIds(deps.randomBytes, createProxyTest(deps.config));

  async function listen(request: IncomingMessage, response: ServerResponse, span?: Span): Promise<void> {
    const requestId = traceOf(request.headers.traceparent)?.id ?? requestIdOf(request);
    const headers: Headers = { "X-Request-Id": requestId, ...common };
    const exchange: Exchange = { request, response, requestId, headers, client: clientOf(request, response) };
    const started = deps.clock.real();
    try {
      if (deps.config.sandbox) requireLocal(request);
      const target = targetOf(request);
      await (isApi(target) ? serveApi(exchange, target) : servePage(exchange, target));
    } catch (error) {
      sendError(exchange, error);
    } finally {
      report(deps, exchange, deps.clock.real() - started);
      span?.end(spanOf(exchange));
    }
  }

  async function serveApi(exchange: Exchange, target: Target): Promise<void> {
    const { request, response, requestId, headers, client } = exchange;
    const { route, params } = await match(request, target, headers);
    exchange.operation = route.name;
    const principal = await identify(request, route.endpoint, headers);
    if (principal) {
      exchange.principal = principal;
      authorize(route.endpoint, principal);
    }
    const query = target.search ? Object.fromEntries(target.searchParams) : {};
    const bytes = Math.min(bodyBytes, route.endpoint.maxBodyBytes);
    const body = route.endpoint.media === "tus" ? undefined : await readJson(request, { bytes, withinMs });
    const idempotencyKey = request.headers["idempotency-key"] as string | undefined;
    const input = { principal, params, query, body, headers: request.headers, idempotencyKey, requestId, client };
    const reply = await execute(route, input);
    if (reply instanceof RawResponse) {
      setHeaders(response, headers);
      return reply.write(request, response);
    }
    send(response, reply, headers);
    discardRest(request);
  }

  /** Finds the route. Requests without a route count against a rate limit too: that of their API key if it is valid, else of their address. */
  async function match(request: IncomingMessage, target: Target, headers: Headers): Promise<MatchedRoute> {
    try {
      return matchRoute(router, request.method ?? "", target.pathname);
    } catch (noRoute) {
      await identify(request, { access: "optional" }, headers).catch((error) => {
        if (!(error instanceof ApiError) || error.code === "RATE_LIMITED") throw error;
      });
      throw noRoute;
    }
  }

  async function servePage(exchange: Exchange, target: Target): Promise<void> {
    const { request, response, requestId, headers, client } = exchange;
    exchange.operation = "page";
    setHeaders(response, headers);
    const onPrincipal = (principal: Principal) => {
      exchange.principal = principal;
    };
    await pages(request, response, target, { requestId, client, onPrincipal });
    discardRest(request);
  }

  function sendError({ request, response, requestId, headers }: Exchange, error: unknown): void {
    const problem = apiErrorOf(error);
    if (problem.status >= 500 && error !== problem)
      deps.log.error(
        { err: error, requestId, method: request.method, path: pathForLog(request) },
        failureText("request", error, deps.dataDir),
      );
    if (response.headersSent) return void response.destroy();
    discardRest(request);
    send(response, renderError(problem, { requestId, timestamp: new Date(deps.clock.now()).toISOString() }), headers);
  }

  return (request: IncomingMessage, response: ServerResponse) =>
    inTrace(deps.tracer, request, (span) => listen(request, response, span));
}

/** Answers as a part of the trace that the request names, or of one of its own where traces are collected. */
function inTrace<T>(tracer: Tracer | null, { headers, method = "" }: IncomingMessage, work: (span?: Span) => T): T {
  const given = traceOf(headers.traceparent, headers.tracestate);
  const span = tracer ? withTrace(given, () => tracer.start("server", method)) : undefined;
  return withTrace(span?.trace ?? given, () => work(span));
}

/** What a span says about a request: no path or query, which may have ids and secrets. */
function spanOf({ request, response, operation = "none" }: Exchange): Parameters<Span["end"]>[0] {
  const { method = "" } = request;
  const status = response.statusCode;
  const attributes = { "http.request.method": method, "http.route": operation, "http.response.status_code": status };
  return { name: `${method} ${operation}`, attributes, failed: status >= 500 };
}

/** One line of the log, and the metrics. `ms`: how long the request took. */
function report({ log, metrics }: Deps, exchange: Exchange, ms: number): void {
  const { request, response, requestId, client, principal, operation = "none" } = exchange;
  metrics?.request(operation, response.statusCode, ms);
  log.access({
    ...{ requestId, method: request.method, path: pathForLog(request), status: response.statusCode, ms },
    ...{ client: client.address, ...callerOf(principal), ...carried(request.socket) },
  });
}

/** Ids only: the log may be read by people who may not act for the account. */
const callerOf = (principal: Principal | undefined) =>
  principal && {
    account: principal.userId,
    ...(principal.sessionId === null ? { key: principal.keyId } : { session: principal.sessionId }),
  };

const counted = new WeakMap<Socket, { read: number; written: number }>();

/** How many bytes went over the connection since its last request, with headers. Of a body that is refused, what had arrived. */
function carried(socket: Socket): { bytesIn: number; bytesOut: number } {
  const before = counted.get(socket) ?? { read: 0, written: 0 };
  const now = { read: socket.bytesRead, written: socket.bytesWritten };
  counted.set(socket, now);
  return { bytesIn: now.read - before.read, bytesOut: now.written - before.written };
}

/** Security headers of every reply: no guessing of content types, no caching, and no access from pages of other origins. */
const commonHeaders = ({ baseUrl, payments }: Pick<Config, "baseUrl" | "payments">): Headers => ({
  // So that clients need not ask before they show prices.
  ...(!payments.enabled && { [paymentsHeader]: "off" }),
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  // With an https base URL, a proxy serves TLS. Browsers then use only HTTPS after the first visit.
  ...(baseUrl.startsWith("https:") && { "Strict-Transport-Security": "max-age=31536000" }),
});

const isApi = ({ pathname }: Target) => /^\/api(\/|$)/.test(pathname);
