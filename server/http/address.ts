import type { IncomingMessage } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import { parseAddress } from "../lib/addresses.ts";

/**
 * The caller as limits count them; `X-Forwarded-For` counts only as far as trusted proxies (CIDR) wrote it. Who has one IPv6 address
 * has the 2^64 of its network, so these count as one.
 */
export function createAddresses(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = new BlockList();
  for (const cidr of trustedProxies) {
    const [network, bits] = cidr.split("/");
    const family = isIPv6(network!) ? "ipv6" : "ipv4";
    trusted.addSubnet(network!, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  const isTrusted = (address: string) => trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");

  function addressOf(request: IncomingMessage): string {
    let address = plain(request.socket.remoteAddress ?? "unknown");
    if (trustedProxies.length === 0 || !isTrusted(address)) return address;
    const hops = String(request.headers["x-forwarded-for"] ?? "").split(",");
    for (const hop of hops.reverse()) {
      if (hop.trim() === "") break;
      address = plain(hop.trim());
      if (!isTrusted(address)) break;
    }
    return address;
  }

  return (request) => networkOf(addressOf(request));
}

/** Without a port, which some proxies add, and an IPv4 address as such. */
const plain = (address: string) =>
  address.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, "$1$2").replace(/^::ffff:(?=\d+\.)/i, "");

function networkOf(address: string): string {
  const bytes = address.includes(":") ? parseAddress(address) : undefined;
  if (!bytes) return address;
  return [0, 2, 4, 6].map((at) => ((bytes[at]! << 8) | bytes[at + 1]!).toString(16)).join(":");
}
