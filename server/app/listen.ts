import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../config/schema.ts";
import type { App } from "./app.ts";
import { limitConnections } from "./connections.ts";

type Served = Pick<App, "handle" | "clientError">;

export interface Listening {
  port: number;
  /** From now on each reply ends its connection, so that clients open the next one elsewhere. New connections are still accepted. */
  retire(): void;
  /** Stops accepting connections, lets requests in progress finish within `drainMs`, then closes the remaining connections. */
  close(): Promise<void>;
}

/** Binds the port. The app is set later with `serve`, because its base URL needs the port. Rejects when the port is in use. */
export async function listen(options: {
  host: string;
  port: number;
  config: Pick<Config, "http" | "behindProxy">;
}): Promise<Listening & { serve(app: Served): void }> {
  let app: Served | undefined;
  let retired = false;
  let closing = false;
  const unanswered = new Set<ServerResponse>();
  const server = createServer({ connectionsCheckingInterval: 1_000 }, (request, response) => {
    // A client that keeps the connection open could send its next request while the server closes.
    if (retired) response.setHeader("Connection", "close");
    unanswered.add(response);
    response.once("close", () => {
      unanswered.delete(response);
      // The headers of an event stream were sent long ago, so its connection becomes idle only now.
      if (closing) setImmediate(() => server.closeIdleConnections());
    });
    if (!app) return void response.writeHead(503, { "Retry-After": "1" }).end();
    void app.handle(request, response);
  });
  server.on("clientError", (error, socket) => (app ? app.clientError(error, socket) : socket.destroy()));
  // Uploads may take long: their routes limit silence instead, and JSON bodies have a limit of their own.
  server.requestTimeout = 0;
  server.timeout = options.config.http.idleTimeoutMs;
  limitConnections(server, options.config);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  function retire(): void {
    retired = true;
    // Otherwise these connections would become idle after the reply and stay open until the time limit.
    for (const response of unanswered) if (!response.headersSent) response.setHeader("Connection", "close");
  }

  return {
    port: (server.address() as AddressInfo).port,
    serve: (given) => {
      app = given;
    },
    retire,
    close: () => {
      closing = true;
      retire();
      return drain(server, options.config.http.drainMs);
    },
  };
}

function drain(server: Server, drainMs: number): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => server.closeAllConnections(), drainMs);
    server.close(() => {
      clearTimeout(limit);
      resolve();
    });
    server.closeIdleConnections();
  });
}
