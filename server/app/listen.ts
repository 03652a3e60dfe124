import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../config/schema.ts";
import type { App } from "./app.ts";

export interface Listening {
  port: number;
  /** Stops accepting, lets what is in flight finish within `drainMs`, then closes what is left. */
  close(): Promise<void>;
}

/** Binds the port; `app` may come later (the base URL needs the port). Rejects when the port is taken. */
export async function listen(options: {
  host: string;
  port: number;
  http: Config["http"];
}): Promise<Listening & { serve(app: App): void }> {
  let app: App | undefined;
  let closing = false;
  const unanswered = new Set<ServerResponse>();
  const server = createServer({ connectionsCheckingInterval: 1_000 }, (request, response) => {
    // A client that keeps the connection would race its next request against the close.
    if (closing) response.setHeader("Connection", "close");
    unanswered.add(response);
    response.once("close", () => {
      unanswered.delete(response);
      // A stream that ended had its headers sent long ago: its connection is idle only now.
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
    if (!app) return void response.writeHead(503, { "Retry-After": "1" }).end();
    void app.handle(request, response);
  });
  server.on("clientError", (error, socket) => (app ? app.clientError(error, socket) : socket.destroy()));
  server.headersTimeout = options.http.headersTimeoutMs;
  // Uploads take as long as they take: their routes watch for silence instead, and JSON bodies have their own limit.
  server.requestTimeout = 0;
  server.timeout = options.http.idleTimeoutMs;
  server.keepAliveTimeout = options.http.keepAliveTimeoutMs;
  server.maxConnections = options.http.maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    serve: (given) => {
      app = given;
    },
    close: () => {
      closing = true;
      // Otherwise their connections would be idle once answered, and nobody would close them before the time is up.
      for (const response of unanswered) if (!response.headersSent) response.setHeader("Connection", "close");
      return drain(server, options.http.drainMs);
    },
  };
}

function drain(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const hurry = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(hurry);
      resolve();
    });
    server.closeIdleConnections();
  });
}
