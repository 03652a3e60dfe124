import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The parts of HTTP that the specification names: the envelope, errors, keys, pages and idempotency on two routes. */

export interface Asked {
  method: string;
  /** Below `/api/v1`, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  params: Record<string, string>;
}

export interface Reply {
  status?: number;
  data?: unknown;
  /** More of `meta`, on lists. */
  meta?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Sent as it is instead of the envelope. */
  raw?: string | Buffer;
}

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly more: Record<string, unknown>;
  readonly headers: Record<string, string>;
  constructor(status: number, code: string, message: string, more = {}, headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.more = more;
    this.headers = headers;
  }
}

export const notFound = () => new Problem(404, "NOT_FOUND", "Not found");
export const conflict = (message: string) => new Problem(409, "CONFLICT", message);
export const badRequest = (message: string) => new Problem(400, "VALIDATION_ERROR", message);
export const invalid = (field: string, message: string) =>
  new Problem(422, "VALIDATION_ERROR", "Validation failed", { details: [{ field, message }] });

export type Handler = (asked: Asked) => Reply | unknown;

/** What a test does to a reply on its way. `lose`: the connection ends after the request took effect. */
export type Interference = { lose: true } | { drop: true } | Reply;
export type Interfere = (asked: Asked, reply: Reply) => Interference | undefined;

const api = "/api/v1";
const replayed = ["POST /games", "POST /games/:gameId/playtests"];

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? {} : JSON.parse(text);
}

function match(route: string, path: string): Record<string, string> | undefined {
  const pattern = `^${route.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`;
  const found = new RegExp(pattern).exec(path);
  return found ? { ...found.groups } : undefined;
}

/** One page of a list, newest first unless it is sorted otherwise. */
export function page(asked: Asked, key: string, items: readonly unknown[], more: object = {}): Reply {
  const limit = Number(asked.query.get("limit") ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw invalid("limit", "must be 1 to 100");
  const from = Number((asked.query.get("cursor") ?? "c0").slice(1));
  const hasMore = from + limit < items.length;
  const data = { [key]: items.slice(from, from + limit), ...more };
  return { data, meta: { hasMore, cursor: hasMore ? `c${from + limit}` : null } };
}

export const reply = (status: number, data: unknown): Reply => ({ status, data });

interface Options {
  keys: ReadonlySet<string>;
  routes: Record<string, Handler>;
  now: () => string;
}

/** Serves these routes and nothing else. */
export async function serve({ keys, routes, now }: Options) {
  const seen: Asked[] = [];
  const unknown: string[] = [];
  const stored = new Map<string, { content: string; reply: Reply }>();
  const hooks: { interfere: Interfere | undefined } = { interfere: undefined };
  let requests = 0;
  const meta = () => ({ requestId: `req_${++requests}`, timestamp: now() });

  function find(method: string, path: string) {
    for (const [route, handler] of Object.entries(routes)) {
      const [verb, pattern] = route.split(" ") as [string, string];
      const params = verb === method ? match(pattern, path) : undefined;
      if (params) return { route, handler, params };
    }
    return undefined;
  }

  function handle(asked: Asked, found: ReturnType<typeof find>): Reply {
    if (asked.path !== "/auth/register/api-key" && !keys.has((asked.headers.authorization ?? "").replace("Bearer ", "")))
      throw new Problem(401, "UNAUTHORIZED", "Missing or invalid API key");
    if (!found) {
      unknown.push(`${asked.method} ${asked.path}`);
      throw notFound();
    }
    asked.params = found.params;
    const key = replayed.includes(found.route) ? (asked.headers["idempotency-key"] as string | undefined) : undefined;
    const content = JSON.stringify([asked.path, asked.body]);
    const earlier = key === undefined ? undefined : stored.get(key);
    if (earlier && earlier.content !== content)
      throw new Problem(422, "IDEMPOTENCY_MISMATCH", "The idempotency key was used for another request");
    if (earlier) return earlier.reply;
    const result = found.handler(asked) as Reply;
    if (key !== undefined) stored.set(key, { content, reply: result });
    return result;
  }

  function answer(asked: Asked): Reply {
    try {
      return handle(asked, find(asked.method, asked.path));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const body = { error: { code: error.code, message: error.message, ...error.more }, meta: meta() };
      return { status: error.status, headers: error.headers, raw: JSON.stringify(body) };
    }
  }

  function send(response: ServerResponse, { status = 200, data, meta: more, headers, raw }: Reply) {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(raw ?? JSON.stringify({ data, meta: { ...meta(), ...more } }));
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://specification");
    const { method = "", headers } = request;
    const path = url.pathname.startsWith(api) ? url.pathname.slice(api.length) : url.pathname;
    const asked: Asked = { method, path, query: url.searchParams, headers, body: await bodyOf(request), params: {} };
    seen.push(asked);
    const plain = answer(asked);
    const changed = hooks.interfere?.(asked, plain) ?? plain;
    if ("lose" in changed || "drop" in changed) return void response.socket?.destroy();
    send(response, changed as Reply);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function close() {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  return { baseUrl, seen, unknown, hooks, close };
}
