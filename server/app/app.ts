import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract, type Operation } from "../../src/contract/index.ts";
import type { Handler, Handlers } from "../http/call.ts";
import { createListener, type Route } from "../http/listener.ts";
import { createRouter } from "../http/router.ts";
import { uploadEndpoint, uploadHandler, uploadMethods } from "../uploads/route.ts";
import { createPages } from "../web/index.ts";
import type { Deps } from "./deps.ts";
import { createHandlers } from "./handlers.ts";

export interface App {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** What node's parser refuses before a request exists: the error envelope, then the socket closes. */
  clientError(error: NodeJS.ErrnoException, socket: Duplex): void;
}

/** The whole server as a function of what it depends on: never listens, never reads the process. */
export function createApp(deps: Deps): App {
  const handlers = createHandlers(deps);
  const handle = createListener(deps, createRoutes(deps, handlers), createPages(deps, handlers));
  return { handle, clientError: (error, socket) => answerParserError(deps, error, socket) };
}

function createRoutes(deps: Deps, every: Handlers) {
  const router = createRouter<Route>();
  const handlers = every as Partial<Record<Operation, Handler<never>>>;
  for (const [operation, endpoint] of Object.entries(contract) as [Operation, Endpoint][]) {
    if (endpoint.only === "sandbox" && !deps.config.sandbox) continue;
    // Deny by default: a route nobody gave an access rule must not start, rather than be public.
    if (!endpoint.access) throw new Error(`${operation} declares no access`);
    const handler = handlers[operation];
    if (!handler) throw new Error(`${operation} has no handler`);
    for (const path of [endpoint.path, ...(endpoint.also ?? [])])
      router.add(endpoint.method, path, { operation, endpoint, names: namesIn(path), handler: handler as Handler<Endpoint> });
  }
  const upload: Route = {
    operation: "upload",
    endpoint: uploadEndpoint,
    names: namesIn(uploadEndpoint.path),
    handler: uploadHandler(deps),
  };
  for (const method of uploadMethods) router.add(method, uploadEndpoint.path, upload);
  return router;
}

const namesIn = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);

const parserErrors: Record<string, { status: number; reason: string; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, reason: "Request Header Fields Too Large", message: "The request headers are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, reason: "Request Timeout", message: "The request took too long to arrive." },
};

function answerParserError(deps: Deps, error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const { status, reason, message } = parserErrors[error.code ?? ""] ?? {
    status: 400,
    reason: "Bad Request",
    message: "The request is not valid HTTP.",
  };
  const requestId = `req_${deps.randomBytes(10).toString("hex")}`;
  const body = JSON.stringify({
    error: { code: "BAD_REQUEST", message },
    meta: { requestId, timestamp: new Date(deps.clock.now()).toISOString() },
  });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
