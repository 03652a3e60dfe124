import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { contract, type Operation } from "../../src/contract/index.ts";
import type { Handler } from "../http/call.ts";
import { type CallAs, createCallAs, createFileAs, createStreamAs, type Operations } from "../http/call-operation.ts";
import { createExecute } from "../http/execute.ts";
import { createListener } from "../http/listener.ts";
import { createRouter } from "../http/router.ts";
import type { Route } from "../http/routes.ts";
import { late } from "../lib/late.ts";
import { createFolder, uploadEndpoint, uploadHandler, uploadMethods } from "../uploads/handlers.ts";
import { createPages, madeLate } from "../web/index.ts";
import type { Deps } from "./deps.ts";
import { handlers } from "./handlers.ts";

const loadMcp = late(() => import("../mcp/page.ts"));

export interface App {
  /** Calls operations as pages do, without HTTP. */
  callAs: CallAs;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Answers what Node.js could not parse as a request with an error in the API's format, then closes the socket. */
  clientError(error: NodeJS.ErrnoException, socket: Duplex): void;
}

/** Builds the whole server from its dependencies. It does not listen and does not access the process. */
export function createApp(deps: Deps): App {
  createFolder(deps.dataDir);
  const operations = createOperations(deps);
  const execute = createExecute(deps);
  const callAs = createCallAs(operations, execute);
  const mcp = madeLate(loadMcp, ({ mcpPage }) => mcpPage(deps, callAs));
  const called = { callAs, streamAs: createStreamAs(operations, execute), fileAs: createFileAs(operations, execute) };
  const pages = createPages(deps, called, { mcp });
  const handle = createListener(deps, createRoutes(operations), execute, pages);
  return { callAs, handle, clientError: (error, socket) => answerParserError(deps, error, socket) };
}

/** Every operation that this server serves, with its handler. */
export function createOperations(deps: Deps): Operations {
  const all = handlers as Partial<Record<Operation, Handler<never>>>;
  const served = (Object.entries(contract) as [Operation, Endpoint][])
    .filter(([, { only }]) => only !== "sandbox" || deps.config.sandbox)
    .map(([operation, endpoint]) => {
      // Deny by default: a route without an access rule must fail at start instead of being public.
      if (!endpoint.access) throw new Error(`${operation} declares no access`);
      const handler = all[operation];
      if (!handler) throw new Error(`${operation} has no handler`);
      return [operation, { endpoint, handler: handler as Handler<Endpoint> }] as const;
    });
  return new Map(served);
}

function createRoutes(operations: Operations) {
  const router = createRouter<Route>();
  for (const [name, { endpoint, handler }] of operations)
    for (const path of [endpoint.path, ...(endpoint.also ?? [])])
      router.add(endpoint.method, path, { name, endpoint, names: namesIn(path), handler });
  const upload: Route = { name: "upload", endpoint: uploadEndpoint, names: namesIn(uploadEndpoint.path), handler: uploadHandler };
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
