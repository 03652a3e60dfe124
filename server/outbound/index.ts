import { lookup } from "node:dns/promises";
import type { IncomingHttpHeaders } from "node:http";
import { parseAddress } from "../lib/addresses.ts";
import { createConnectionPool } from "./connection-pool.ts";
import { createConnector } from "./connector.ts";
import { exchange } from "./exchange.ts";
import { createGuard, type GuardOptions, targetOf } from "./guard.ts";

export { AddressRefused } from "./guard.ts";

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface OutboundRequest {
  url: string;
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
  /** For everything: name, connection, TLS, request and response. */
  deadlineMs: number;
  /** What is kept of the response; the rest is not read. */
  maxBytes: number;
}

export interface OutboundReply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** False: the body went on beyond `maxBytes` or the deadline and was cut. */
  complete: boolean;
}

/** The one way to a URL that somebody gave the server: guarded, bounded in time and size, never redirected. */
export interface Outbound {
  /** Throws `AddressRefused` for what a request would refuse. A name that has no address just now passes: connections are checked again. */
  check(url: string): Promise<void>;
  /** Resolves with any status. Rejects when none arrived in time, and with `AddressRefused`. */
  request(request: OutboundRequest): Promise<OutboundReply>;
  close(): void;
}

const checkDeadlineMs = 2_000;
const maxChecked = 1_000;
const closedByPeer = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

export function createOutbound(options: GuardOptions & { resolve?: Resolve | undefined }): Outbound {
  const guard = createGuard(options);
  const resolve = options.resolve ?? systemResolve;
  const pool = createConnectionPool(createConnector(guard, resolve));

  const checked = new Map<string, URL>();

  /** The same address is used again and again, and what the guard says of it does not change. */
  function checkedUrl(text: string): URL {
    const known = checked.get(text);
    if (known) return known;
    const url = new URL(text);
    guard.checkUrl(url);
    if (checked.size >= maxChecked) checked.clear();
    checked.set(text, url);
    return url;
  }

  async function send(wanted: OutboundRequest): Promise<OutboundReply> {
    const url = checkedUrl(wanted.url);
    const connection = await pool.take(url.origin);
    const { used } = connection;
    try {
      const reply = await exchange(connection, url, wanted);
      if (reply.complete) pool.release(url.origin, connection);
      return reply;
    } catch (error) {
      // The receiver closed a kept connection just as it was used again: that says nothing about the receiver.
      if (used && connection.used && closedByPeer.includes((error as NodeJS.ErrnoException).code ?? "")) return send(wanted);
      throw error;
    }
  }

  return {
    async check(text) {
      const url = new URL(text);
      guard.checkUrl(url);
      const target = targetOf(url);
      if (parseAddress(target.host)) return;
      const unknown = resolve(target.host).catch(() => []);
      for (const address of await withinDeadline(unknown)) guard.checkAddress(target, address);
    },
    request: send,
    close: pool.close,
  };
}

async function withinDeadline(addresses: Promise<readonly string[]>): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly string[]>((resolve) => {
    timer = setTimeout(() => resolve([]), checkDeadlineMs);
  });
  return Promise.race([addresses, late]).finally(() => clearTimeout(timer));
}
