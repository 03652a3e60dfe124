import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { Config } from "../config/schema.ts";
import type { App } from "./app.ts";
import type { Certificate } from "./certificate.ts";
import { limitConnections } from "./connections.ts";

type Served = Pick<App, "handle" | "clientError">;

/** Where a server listens: at an address, or on a socket that the service manager has opened for it, by its file descriptor. */
export type Place = { host: string; port: number } | { fd: number };

export interface Listening {
  address: string;
  port: number;
  /** From now on each reply ends its connection, so that clients open the next one elsewhere. New connections are still accepted. */
  retire(): void;
  /** Stops accepting connections, lets requests in progress finish within `drainMs`, then closes the remaining connections. */
  close(): Promise<void>;
}

/** How long (ms) a client may take to agree on an encrypted connection. */
const handshakeMs = 10_000;
/** How often (ms) the limits of time of connections are looked at. */
const connectionsCheckingInterval = 1_000;

/** Speaks TLS where there is a certificate. */
function createHttpServer(certificate: Certificate | undefined, listener: RequestListener): Server {
  if (!certificate) return createServer({ connectionsCheckingInterval }, listener);
  const server = createTlsServer({ ...certificate.read(), connectionsCheckingInterval, handshakeTimeout: handshakeMs }, listener);
  server.on("tlsClientError", (_, socket) => socket.destroy());
  certificate.onChange((context) => server.setSecureContext(context));
  return server;
}

/** Binds the port. The app is set later with `serve`, because its base URL needs the port. Rejects when the port is in use. */
export async function listen(
  options: Place & { certificate?: Certificate | undefined; config: Pick<Config, "http" | "behindProxy"> },
): Promise<Listening & { serve(app: Served): void }> {
  let app: Served | undefined;
  let retired = false;
  let closing = false;
  const unanswered = new Set<ServerResponse>();
  const starting: (() => Promise<void>)[] = [];
  const server = createHttpServer(options.certificate, (request, response) => {
    // A client that keeps the connection open could send its next request while the server closes.
    if (retired) response.setHeader("Connection", "close");
    unanswered.add(response);
    response.once("close", () => {
      unanswered.delete(response);
      // The headers of an event stream were sent long ago, so its connection becomes idle only now.
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
    // What comes while the rest of the server starts is answered when it has started.
    if (!app) return void starting.push(() => app!.handle(request, response));
    void app.handle(request, response);
  });
  server.on("clientError", (error, socket) => (app ? app.clientError(error, socket) : socket.destroy()));
  // Uploads may take long: their routes limit silence instead, and JSON bodies have a limit of their own.
  server.requestTimeout = 0;
  server.timeout = options.config.http.idleTimeoutMs;
  limitConnections(server, options.config);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if ("fd" in options) server.listen({ fd: options.fd }, resolve);
    else server.listen(options.port, options.host, resolve);
  });
  const { address, port } = server.address() as AddressInfo;
  function retire(): void {
    retired = true;
    // Otherwise these connections would become idle after the reply and stay open until the time limit.
    for (const response of unanswered) if (!response.headersSent) response.setHeader("Connection", "close");
  }

  return {
    address,
    port,
    serve: (given) => {
      app = given;
      for (const answer of starting.splice(0)) void answer();
    },
    retire,
    close: () => {
      closing = true;
      retire();
      return drain(server, options.config.http.drainMs);
    },
  };
}

async function drain(server: Server, drainMs: number): Promise<void> {
  // A connection or request that has arrived and that nobody has read yet would be reset. The second turn begins after all was read.
  await turn();
  await turn();
  return new Promise((resolve) => {
    const limit = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(limit);
      resolve();
    });
    server.closeIdleConnections();
  });
}
