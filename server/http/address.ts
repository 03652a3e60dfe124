import type { IncomingMessage, ServerResponse } from "node:http";
import { SocketAddress } from "node:net";
import { isAddress, isIn, listOfTexts } from "../../src/contract/text/addresses.ts";
import { isNearby } from "../config/proxy-trust.ts";
import type { Config } from "../config/schema.ts";
import { unavailable } from "../lib/api-error.ts";
import type { Client } from "./call.ts";

/** The part of the configuration that decides whose `X-Forwarded-For` headers are trusted. */
export interface ProxyTrust {
  behindProxy: boolean;
  http: Pick<Config["http"], "trustedProxies">;
}

/**
 * The address that rate limits count. Entries of `X-Forwarded-For` are used only if a trusted proxy wrote them. When no trusted proxies
 * are configured but the server is behind one, a peer with a local address is taken for the proxy and only the last entry is used,
 * because the client may have sent the others. IPv6 addresses count by their /64 network, since a client usually has all of it.
 */
export function createAddresses(trust: ProxyTrust): (request: IncomingMessage) => string {
  const addressOf = createFullAddresses(trust);
  return (request) => networkOf(addressOf(request));
}

/** The client of a request: the address and `User-Agent` that accounts show to their owners. */
export function createClients(trust: ProxyTrust): (request: IncomingMessage, response: ServerResponse) => Client {
  const addressOf = createFullAddresses(trust);
  return (request, response) => new RequestClient(request, response, addressOf);
}

/** Computes its properties on first use, because most requests need none of them. */
class RequestClient implements Client {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #addressOf: (request: IncomingMessage) => string;
  #signal: AbortSignal | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, addressOf: (request: IncomingMessage) => string) {
    this.#request = request;
    this.#response = response;
    this.#addressOf = addressOf;
  }

  get address(): string {
    return this.#addressOf(this.#request).slice(0, 64);
  }
  get agent(): string | null {
    return this.#request.headers["user-agent"]?.replace(/[^\x20-\x7e]+/g, " ").slice(0, 200) ?? null;
  }
  get signal(): AbortSignal {
    this.#signal ??= signalOf(this.#response);
    return this.#signal;
  }
}

/** A signal that aborts when the connection closes before the reply was sent. */
function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!response.writableFinished) controller.abort(unavailable("The client closed the connection. Nothing was changed."));
  };
  if (response.closed || response.destroyed || response.socket?.destroyed) abort();
  else response.once("close", abort);
  return controller.signal;
}

/** The address of the client itself. */
function createFullAddresses(trust: ProxyTrust): (request: IncomingMessage) => string {
  const isProxy = createProxyTest(trust);
  const areNamed = trust.http.trustedProxies.length > 0;

  function addressOf(request: IncomingMessage): string {
    let address = peerOf(request);
    if (!isProxy(address)) return address;
    for (const hop of String(request.headers["x-forwarded-for"] ?? "")
      .split(",")
      .reverse()) {
      if (hop.trim() === "") break;
      address = plain(hop.trim());
      if (!areNamed || !isProxy(address)) break;
    }
    return address;
  }

  return addressOf;
}

/** Whether a peer with this address is a proxy. */
export function createProxyTest({ behindProxy, http: { trustedProxies } }: ProxyTrust): (address: string) => boolean {
  if (trustedProxies.length === 0) return (address) => behindProxy && isNearby(address);
  const trusted = listOfTexts(trustedProxies);
  return (address) => isIn(trusted, address);
}

/** The IP address of the peer of the connection. */
export const peerOf = ({ socket }: Pick<IncomingMessage, "socket">) => plain(socket.remoteAddress ?? "unknown");

/** The address without a port, which some proxies add, and with an IPv4-mapped address as IPv4. */
const plain = (address: string) =>
  address.includes(":")
    ? address.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2").replace(/^::ffff:(?=\d+\.)/i, "")
    : address;

/** The address that limits count: the /64 network of an IPv6 address, any other address unchanged. */
export function networkOf(address: string): string {
  if (!address.includes(":") || !isAddress(address)) return address;
  // Node.js writes groups without leading zeros, and the longest run of zeros as `::`.
  const { address: written } = new SocketAddress({ address, family: "ipv6" });
  const [front, back] = written.split("::").map((side) => side.split(":").filter((group) => group !== ""));
  const zeros = new Array<string>(8 - front!.length - (back?.length ?? 0)).fill("0");
  return [...front!, ...zeros, ...(back ?? [])].slice(0, 4).join(":");
}
