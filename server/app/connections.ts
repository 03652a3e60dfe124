import { readFileSync } from "node:fs";
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Config } from "../config/schema.ts";
import { createProxyTest, networkOf, type ProxyTrust, peerOf } from "../http/address.ts";

/** How many files and connections of other kinds a server may need at the same time, unless that is more than half of all. */
const reserved = 256;

/** How many clients may be connected, so that files can still be opened: each connection counts as an open file. */
function maxClients(configured: number): number {
  const limit = openFileLimit();
  return limit === undefined ? configured : Math.min(configured, Math.max(limit - reserved, Math.floor(limit / 2)));
}

/** How many files and connections this process may have open; undefined where the system has no file that says so. */
function openFileLimit(): number | undefined {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Infinity);
  } catch {
    return undefined;
  }
}

type Limited = ProxyTrust & {
  http: Pick<Config["http"], "maxConnections" | "maxConnectionsPerAddress" | "keepAliveTimeoutMs" | "headersTimeoutMs">;
};

/** From this share of the connections on, those that do nothing are closed early. */
const nearlyAll = 0.8;
/** How long (ms) they may do nothing then: wait for the next request, or send the headers of one. */
const crowdedKeepAliveMs = 1_000;
const crowdedHeadersMs = 3_000;

/**
 * Limits the connections in all and per address, a proxy's aside, and makes room when they become few: idle connections are closed
 * after a second instead of a minute, so that clients who come later find one.
 */
export function limitConnections(server: Server, config: Limited): void {
  const { maxConnectionsPerAddress, keepAliveTimeoutMs, headersTimeoutMs } = config.http;
  const maxConnections = maxClients(config.http.maxConnections);
  const isProxy = createProxyTest(config);
  const perAddress = new Map<string, number>();
  /** The last response on each connection that may stay idle after it for longer than it would when they are few. */
  const patient = new Map<Socket, ServerResponse | undefined>();
  let open = 0;
  let crowded = false;
  server.maxConnections = maxConnections;

  function adjust(): void {
    const before = crowded;
    crowded = open > maxConnections * nearlyAll;
    server.keepAliveTimeout = crowded ? Math.min(keepAliveTimeoutMs, crowdedKeepAliveMs) : keepAliveTimeoutMs;
    server.headersTimeout = crowded ? Math.min(headersTimeoutMs, crowdedHeadersMs) : headersTimeoutMs;
    if (crowded && !before) hurry();
  }

  /** Gives connections that are idle already no more time than those that become idle from now on. A request in time keeps them. */
  function hurry(): void {
    for (const [socket, response] of patient) {
      if (!response?.closed) continue;
      socket.setTimeout(server.keepAliveTimeout);
      patient.set(socket, undefined);
    }
  }

  function count(socket: Socket): void {
    const address = networkOf(peerOf({ socket }));
    const others = perAddress.get(address) ?? 0;
    if (others >= maxConnectionsPerAddress && !isProxy(peerOf({ socket }))) return void socket.destroy();
    perAddress.set(address, others + 1);
    open++;
    adjust();
    socket.once("close", () => {
      const left = perAddress.get(address)! - 1;
      if (left > 0) perAddress.set(address, left);
      else perAddress.delete(address);
      open--;
      adjust();
    });
  }

  adjust();
  server.on("connection", count);
  // With TLS, the socket of a request is not the one of its connection.
  server.on("request", ({ socket }, response) => {
    if (!patient.has(socket)) socket.once("close", () => patient.delete(socket));
    patient.set(socket, response);
  });
}
