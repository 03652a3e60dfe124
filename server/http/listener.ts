import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { authenticate, authorize } from "../accounts/authenticate.ts";
import type { Deps } from "../app/deps.ts";
import { type Query, StoreUnavailable } from "../database/port.ts";
import { notFound, Problem } from "../lib/problem.ts";
import { createAddresses } from "./address.ts";
import { readJson } from "./body.ts";
import { type Call, Committed, CommittedProblem, type Handler, Listed, listed, type Principal, RawResponse } from "./call.ts";
import { checkReply } from "./check.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { createOnce, idempotencyKey, type Once } from "./idempotency.ts";
import { canonicalJson } from "./json.ts";
import { limiterOf, type Verdict } from "./rate-limit.ts";
import { type Meta, type Rendered, renderData, renderProblem, send } from "./reply.ts";
import { createRequestIds } from "./request-id.ts";
import type { Router } from "./router.ts";
import { validate } from "./validate.ts";

export interface Route {
  operation: string;
  endpoint: Endpoint;
  /** Its path parameters, in order. */
  names: readonly string[];
  handler: Handler<Endpoint>;
}

/** The path asked for and its query. */
export type Target = Pick<URL, "pathname" | "search" | "searchParams">;

/** A page or file outside `/api`: does everything itself, problems are turned into the error envelope or a page by it. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse, url: Target) => Promise<void>;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: Target;
  requestId: string;
  common: Record<string, string>;
}

const prefix = "/api/v1";
const nothing = z.strictObject({});

/** From a request to its reply. The one place on the server where an error becomes an answer. */
export function createListener(deps: Deps, router: Router<Route>, pages: PageHandler) {
  const { config } = deps;
  const limiter = limiterOf(deps);
  const addressOf = createAddresses(config.http.trustedProxies);
  const newRequestId = createRequestIds(deps.randomBytes);

  async function listen(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = newRequestId();
    const common: Record<string, string> = {
      "X-Request-Id": requestId,
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
    };
    const started = deps.clock.real();
    try {
      const url = targetOf(request);
      const exchange = { request, response, url, requestId, common };
      if (!/^\/api(\/|$)/.test(url.pathname)) return await servePage(exchange);
      await serve(exchange);
    } catch (error) {
      fail(request, response, error, requestId, common);
    } finally {
      deps.log.access({
        requestId,
        method: request.method,
        path: pathForLog(request),
        status: response.statusCode,
        ms: deps.clock.real() - started,
      });
    }
  }

  async function servePage({ request, response, url, common }: Exchange): Promise<void> {
    for (const [name, value] of Object.entries(common)) response.setHeader(name, value);
    await pages(request, response, url);
    if (!request.complete) linger(request);
  }

  /** The pipeline: match, authenticate, limit, authorize, validate, then once. */
  async function serve(exchange: Exchange): Promise<void> {
    const { request, response, url, common } = exchange;
    const { route, params } = await matchAndCount(request, url.pathname, common);
    const { endpoint } = route;
    const principal = await identify(endpoint, request, common);
    if (principal) authorize(endpoint, principal);
    const query = endpoint.query ? validate(endpoint.query, url.search ? Object.fromEntries(url.searchParams) : {}) : {};
    const body = endpoint.media === "tus" ? undefined : await readBody(endpoint, request);
    const once = onceOf(endpoint, principal, request, params, url, body);
    const list = () => listName(endpoint, principal, params, query);
    const call = createCall({ exchange, endpoint, principal, params, query, body, once, list });
    const result = await (once ? once.alone(() => attempt(route, call, once)) : route.handler(call));
    if (result instanceof RawResponse) {
      for (const [name, value] of Object.entries(common)) response.setHeader(name, value);
      await result.write(request, response);
      return;
    }
    send(response, result instanceof Committed ? result.rendered : render(exchange, endpoint, list, result), common);
    // A body that nobody asked for may go on for ever.
    if (!request.complete) linger(request);
  }

  /** What no route answers counts too: against its key if that is good, else against its address. */
  async function matchAndCount(request: IncomingMessage, pathname: string, common: Record<string, string>) {
    try {
      return match(request.method ?? "", pathname);
    } catch (lost) {
      await identify({ access: "optional" }, request, common).catch((error) => {
        if (!(error instanceof Problem) || error.code === "RATE_LIMITED") throw error;
      });
      throw lost;
    }
  }

  function match(method: string, pathname: string) {
    const found = pathname.startsWith(`${prefix}/`) ? router.match(pathname.slice(prefix.length)) : undefined;
    if (!found) throw notFound();
    const route = found.methods.get(method) ?? (method === "HEAD" ? found.methods.get("GET") : undefined);
    if (!route) {
      const allowed = [...found.methods.keys()].flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ");
      throw new Problem("METHOD_NOT_ALLOWED", `This path takes ${allowed}.`, { headers: { Allow: allowed } });
    }
    const params: Record<string, string> = {};
    for (const [index, name] of route.names.entries()) params[name] = found.values[index]!;
    return { route, params };
  }

  async function identify(
    endpoint: Pick<Endpoint, "access" | "limit" | "media">,
    request: IncomingMessage,
    common: Record<string, string>,
  ): Promise<Principal | undefined> {
    const address = addressOf(request);
    const limits = config.limits;
    const keyless = endpoint.access === "none" || (endpoint.access === "optional" && request.headers.authorization === undefined);
    // Whatever takes a password counts per address, with a key or without.
    if (endpoint.limit || keyless) {
      const perMinute = { register: limits.registerPerMinute, password: limits.passwordPerMinute, none: limits.keylessPerMinute }[
        endpoint.limit ?? "none"
      ];
      limit(`${endpoint.limit ?? "keyless"} ${address}`, perMinute, perMinute, common);
    }
    if (keyless) return undefined;
    try {
      const principal = await authenticate(deps, request.headers, endpoint);
      if (!endpoint.limit) limit(`key ${principal.keyId}`, limits.keyPerMinute, limits.keyBurst, common);
      return principal;
    } catch (error) {
      // Guessing keys is bounded per address.
      if (error instanceof Problem && error.code === "UNAUTHORIZED")
        limit(`keyless ${address}`, limits.keylessPerMinute, limits.keylessPerMinute, common);
      throw error;
    }
  }

  function limit(caller: string, perMinute: number, burst: number, common: Record<string, string>): void {
    if (!config.limits.enabled) return;
    const verdict = limiter.take(caller, { perMinute, burst });
    Object.assign(common, limitHeaders(verdict, deps.clock.real()));
    if (verdict.allowed) return;
    const seconds = String(verdict.retryAfterSeconds);
    throw new Problem("RATE_LIMITED", `Too many requests. Try again in ${seconds} s.`, { headers: { "Retry-After": seconds } });
  }

  async function readBody(endpoint: Endpoint, request: IncomingMessage): Promise<unknown> {
    if (request.method === "GET" || request.method === "HEAD") return undefined;
    const raw = await readJson(request, { bytes: config.http.bodyBytes, withinMs: config.http.requestTimeoutMs });
    // Only a body that is not there counts as empty: `null` is a wrong type like any other.
    const parsed = validate(endpoint.body ?? nothing, raw === undefined ? {} : raw);
    return endpoint.body && parsed;
  }

  function onceOf(
    endpoint: Endpoint,
    principal: Principal | undefined,
    request: IncomingMessage,
    params: Record<string, string>,
    url: Target,
    body: unknown,
  ): Once | undefined {
    if (!principal || endpoint.method === "GET" || endpoint.media === "tus") return undefined;
    const key = idempotencyKey(request.headers["idempotency-key"]);
    if (key === undefined) return undefined;
    const pays = request.headers["x-payment"] !== undefined;
    const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => params[name]!);
    return createOnce(deps, { accountId: principal.userId, key, endpoint, path, query: url.searchParams.toString(), body, pays });
  }

  async function attempt(route: Route, call: Call<Endpoint>, once: Once) {
    const stored = await deps.store.read((q) => once.find(q));
    return stored ? new Committed<unknown>(stored) : route.handler(call);
  }

  interface CallParts {
    exchange: Exchange;
    endpoint: Endpoint;
    principal: Principal | undefined;
    params: Record<string, string>;
    query: unknown;
    body: unknown;
    once: Once | undefined;
    list: () => string;
  }

  /** A class, so that the functions of a call are not made anew for each request. */
  class OneCall {
    readonly #parts: CallParts;
    readonly listed = listed;
    constructor(parts: CallParts) {
      this.#parts = parts;
    }
    get params() {
      return this.#parts.params;
    }
    get query() {
      return this.#parts.query as never;
    }
    get body() {
      return this.#parts.body as never;
    }
    get maybePrincipal() {
      return this.#parts.principal;
    }
    get principal() {
      const { principal, endpoint } = this.#parts;
      if (!principal) throw new Error(`${endpoint.path} has no caller: it needs no key`);
      return principal;
    }
    get headers() {
      return this.#parts.exchange.request.headers;
    }
    get requestId() {
      return this.#parts.exchange.requestId;
    }
    page() {
      const { query, list } = this.#parts;
      // Every list's query has a limit once it is parsed: the contract fills it in.
      const { limit, cursor } = query as { limit: number; cursor?: string };
      return { limit, after: cursor === undefined ? undefined : decodeCursor(deps.secrets, list(), cursor) };
    }
    read<T>(fn: (q: Query) => Promise<T>) {
      return deps.store.read(fn);
    }
    commit(fn: (tx: Query) => Promise<unknown>) {
      const { exchange, endpoint, once, list } = this.#parts;
      return deps.store.write(async (tx) => {
        const stored = await once?.find(tx);
        if (stored) return new Committed<never>(stored);
        const outcome = await fn(tx);
        const refused = outcome instanceof CommittedProblem;
        const rendered = refused ? renderProblem(outcome.problem, metaOf(exchange)) : render(exchange, endpoint, list, outcome);
        await once?.save(tx, rendered, refused ? outcome.until : undefined);
        return new Committed<never>(rendered);
      });
    }
  }
  const createCall = (parts: CallParts): Call<Endpoint> => new OneCall(parts) as Call<Endpoint>;

  const metaOf = (exchange: Exchange): Meta => ({
    requestId: exchange.requestId,
    timestamp: new Date(deps.clock.now()).toISOString(),
  });

  function render(exchange: Exchange, endpoint: Endpoint, list: () => string, result: unknown): Rendered {
    const meta = metaOf(exchange);
    const data = result instanceof Listed ? result.data : result;
    if (result instanceof Listed) {
      meta.cursor = result.next && encodeCursor(deps.secrets, list(), result.next);
      meta.hasMore = result.next !== null;
    }
    if (config.strict) checkReply(endpoint, data);
    return renderData(endpoint.status, data, meta);
  }

  function fail(
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    requestId: string,
    common: Record<string, string>,
  ): void {
    const problem = problemOf(error);
    if (problem.status >= 500 && error !== problem)
      deps.log.error({ err: error, requestId, method: request.method, path: pathForLog(request) }, "request failed");
    if (response.headersSent) return void response.destroy();
    // A client that is still sending reads the answer only when its bytes are taken for a while; then the connection goes.
    if (!request.complete) linger(request);
    send(response, renderProblem(problem, { requestId, timestamp: new Date(deps.clock.now()).toISOString() }), common);
  }

  return listen;
}

const unexpected =
  "Something went wrong on our side. It is logged under this request id; it is safe to try again with the same Idempotency-Key.";

/** What the caller is told: a problem as it is, a store that cannot serve as 503, anything else as 500 without its text. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (!(error instanceof StoreUnavailable)) return new Problem("INTERNAL_ERROR", unexpected, { cause: error });
  return new Problem("SERVICE_UNAVAILABLE", "The database cannot serve this just now. Try again with the same Idempotency-Key.", {
    headers: { "Retry-After": "1" },
    cause: error,
  });
}

/** A cursor belongs to one list with one filter of one account, whichever form of the path and of its ids was asked for. */
function listName(endpoint: Endpoint, principal: Principal | undefined, params: Record<string, string>, query: unknown): string {
  const { limit: _limit, cursor: _cursor, ...filter } = query as Record<string, unknown>;
  return `${principal?.userId} ${endpoint.path} ${canonicalJson([params, filter])}`;
}

function limitHeaders(verdict: Verdict, realNow: number): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(verdict.limit),
    "X-RateLimit-Remaining": String(verdict.remaining),
    "X-RateLimit-Reset": String(Math.floor(realNow / 1000) + verdict.resetSeconds),
  };
}

/** Path and query of the request. */
function targetOf(request: IncomingMessage): Target {
  const target = request.url ?? "/";
  // Plain paths, which nearly all are, need no parser. The rest goes through one, which also takes out `..`.
  if (/^(\/[\w-]+)+$/.test(target)) return { pathname: target, search: "", searchParams: noQuery };
  // An absolute-form target may name another host than the Host header does: refuse rather than guess.
  if (!target.startsWith("/") || !URL.canParse(`http://localhost${target}`))
    throw new Problem("BAD_REQUEST", "The request target is not a path.");
  return new URL(`http://localhost/${target.replace(/^\/+/, "")}`);
}

const noQuery = Object.freeze(new URLSearchParams());

const lingerMs = 3_000;

function linger(request: IncomingMessage): void {
  const close = setTimeout(() => request.destroy(), lingerMs).unref();
  request.once("close", () => clearTimeout(close)).resume();
}

/** Tokens travel in some queries (signed links, mailed links) and in a checkout's path: the log has neither. */
export const pathForLog = (request: IncomingMessage) =>
  request.url
    ?.split("?")[0]
    ?.replace(/^\/checkout\/[^/]+/, "/checkout/:token")
    .slice(0, 200);
