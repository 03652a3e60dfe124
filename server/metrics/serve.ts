import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Deps } from "../app/deps.ts";
import { ApiError, notFound } from "../lib/api-error.ts";
import { sameText } from "../lib/secrets.ts";
import { createGauges } from "./gauges.ts";

type Send = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Answers with the metrics on the port of the API, where they need a token. 404 where none is configured. */
export function metricsPage(deps: Deps): Send {
  const send = createSend(deps);
  return async (request, response) => {
    if (deps.config.metrics.token === null) throw notFound();
    await send(request, response);
  };
}

function requireToken({ config }: Deps, { headers }: IncomingMessage): void {
  const { token } = config.metrics;
  if (token === null || sameText(headers.authorization ?? "", `Bearer ${token}`)) return;
  throw new ApiError("UNAUTHORIZED", "The metrics need the token of the setting metrics.token: Authorization: Bearer TOKEN.");
}

function createSend(deps: Deps): Send {
  const gauges = createGauges(deps);
  return async (request, response) => {
    requireToken(deps, request);
    const { type, text } = await deps.metrics!.render(await gauges());
    response.writeHead(200, { "Content-Type": type, "Content-Length": Buffer.byteLength(text) });
    response.end(request.method === "HEAD" ? undefined : text);
  };
}

/** A port for `/metrics` and nothing else. What asks before `serve` is called is answered then. */
export interface MetricsPort {
  serve(deps: Deps): void;
  close(): void;
}

/** Binds the port. Rejects when the system refuses it. */
export async function listenForMetrics(host: string, port: number): Promise<MetricsPort> {
  let serve!: (deps: Deps) => void;
  const given = new Promise<Deps>((resolve) => {
    serve = resolve;
  }).then((deps) => ({ deps, send: createSend(deps) }));
  const server = createServer((request, response) => void given.then(({ deps, send }) => answer(deps, send, request, response)));
  server.listen(port, host);
  await once(server, "listening");
  return {
    serve,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer({ log }: Deps, send: Send, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    if (request.url?.split("?")[0] !== "/metrics") throw notFound();
    await send(request, response);
  } catch (error) {
    const known = error instanceof ApiError ? error : undefined;
    if (!known) log.error({ err: error }, "the metrics could not be read");
    response.writeHead(known?.status ?? 500, { "Content-Type": "text/plain; charset=utf-8" });
    response.end(`${known?.message ?? "The metrics could not be read."}\n`);
  }
}
