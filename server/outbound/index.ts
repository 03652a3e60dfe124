import { lookup } from "node:dns/promises";
import { isAddress } from "../../src/contract/text/addresses.ts";
import { currentTrace, type Tracer } from "../lib/trace.ts";
import { within } from "../lib/within.ts";
import { createConnectionPool } from "./connection-pool.ts";
import { createConnector } from "./connector.ts";
import { exchange } from "./exchange.ts";
import { createGuard, type GuardOptions, targetOf } from "./guard.ts";
import type { OutboundReply, OutboundRequest, Resolve } from "./types.ts";

export { AddressRefused } from "./guard.ts";

/** The only way to send requests to URLs given by users: to allowed addresses, with limits for time and size, without redirects. */
export interface Outbound {
  /** Throws AddressRefused for a URL that a request would refuse. Accepts a name that does not resolve now: each connection is checked again. */
  check(url: string): Promise<void>;
  /** Resolves with a response of any status. Rejects when none arrived in time, and with AddressRefused. */
  request(request: OutboundRequest): Promise<OutboundReply>;
  close(): void;
}

const checkDeadlineMs = 2_000;
const maxChecked = 1_000;
const closedByPeer = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

interface Options extends GuardOptions {
  resolve?: Resolve | undefined;
  tracer?: Tracer | null;
}

export function createOutbound(options: Options): Outbound {
  const guard = createGuard(options);
  const resolve = options.resolve ?? systemResolve;
  const pool = createConnectionPool(createConnector(guard, resolve));

  const checked = new Map<string, URL>();

  /** Caches checked URLs: the same ones are used repeatedly, and the result does not change. */
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
    const connection = await pool.take(url.origin, { fresh: wanted.once });
    const { used } = connection;
    try {
      const reply = await exchange(connection, url, wanted);
      if (reply.complete) pool.release(url.origin, connection);
      return reply;
    } catch (error) {
      // The receiver closed an idle connection just when it was reused. That is not a failure of the receiver.
      if (used && connection.used && closedByPeer.includes((error as NodeJS.ErrnoException).code ?? "")) return send(wanted);
      throw error;
    }
  }

  /** As a part of the running trace, which the receiver is told. */
  async function sendTraced(wanted: OutboundRequest): Promise<OutboundReply> {
    const span = options.tracer?.start("client", wanted.method, {
      "http.request.method": wanted.method,
      "server.address": checkedUrl(wanted.url).hostname,
    });
    const trace = span?.trace ?? currentTrace();
    if (!trace) return send(wanted);
    let status = 0;
    try {
      const reply = await send({ ...wanted, headers: { ...wanted.headers, ...trace.headers } });
      status = reply.status;
      return reply;
    } finally {
      span?.end({
        attributes: status === 0 ? {} : { "http.response.status_code": status },
        failed: status === 0 || status >= 400,
      });
    }
  }

  return {
    async check(text) {
      const url = new URL(text);
      guard.checkUrl(url);
      const target = targetOf(url);
      if (isAddress(target.host)) return;
      const unknown = resolve(target.host).catch(() => []);
      for (const address of await within<readonly string[]>(checkDeadlineMs, unknown, [])) guard.checkAddress(target, address);
    },
    request: sendTraced,
    close: pool.close,
  };
}
