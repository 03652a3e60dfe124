import type { IncomingMessage } from "node:http";
import { BlockList, isIPv6 } from "node:net";

/** The caller's address; `X-Forwarded-For` counts only as far as trusted proxies (CIDR) wrote it. */
export function createAddresses(trustedProxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = new BlockList();
  for (const cidr of trustedProxies) {
    const [network, bits] = cidr.split("/");
    const family = isIPv6(network!) ? "ipv6" : "ipv4";
    trusted.addSubnet(network!, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  const isTrusted = (address: string) => trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");

  return (request) => {
    let address = plain(request.socket.remoteAddress ?? "unknown");
    if (trustedProxies.length === 0 || !isTrusted(address)) return address;
    const hops = String(request.headers["x-forwarded-for"] ?? "").split(",");
    for (const hop of hops.reverse()) {
      if (hop.trim() === "") break;
      address = plain(hop.trim());
      if (!isTrusted(address)) break;
    }
    return address;
  };
}

const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/, "");
