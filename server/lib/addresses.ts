/** Decides which addresses the server may connect to for users: public ones, and those that the operator allows. */
import { isIn, listOf, listOfTexts, type Range } from "../../src/contract/text/addresses.ts";

/** The addresses that are not public, by what they are. */
const refused = Object.entries({
  unspecified: ["0.0.0.0/8", "::"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
  "carrier-grade NAT": ["100.64.0.0/10"],
  loopback: ["127.0.0.0/8", "::1"],
  "link-local": ["169.254.0.0/16", "fe80::/10"],
  reserved: ["192.0.0.0/24", "240.0.0.0/4"],
  "reserved or a tunnel": ["2001::/23"],
  documentation: ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"],
  "6to4 relay": ["192.88.99.0/24"],
  "6to4, which hides an IPv4 address": ["2002::/16"],
  "NAT64, which hides an IPv4 address": ["64:ff9b::/96", "64:ff9b:1::/48"],
  benchmarking: ["198.18.0.0/15"],
  multicast: ["224.0.0.0/4", "ff00::/8"],
}).map(([name, ranges]) => ({ name, list: listOfTexts(ranges) }));

const everyV4 = listOfTexts(["0.0.0.0/0"]);
/** IPv6 addresses outside of the global unicast space are refused, whatever they are. */
const unicast = listOfTexts(["0.0.0.0/0", "2000::/3"]);

/** Why the server must not connect to an address (`loopback`, `private`, …), or undefined for a public one. */
export function refusal(address: string): string | undefined {
  return refused.find(({ list }) => isIn(list, address))?.name ?? (isIn(unicast, address) ? undefined : "not a public address");
}

export const isLoopback = (address: string) => refusal(address) === "loopback";

/** Decides by the ranges of an address's own family, so that `::/0` does not allow `10.0.0.1`, nor `::ffff:10.0.0.1`. */
export function createRangeTest(ranges: readonly Range[]): (address: string) => boolean {
  const [v4, v6] = (["ipv4", "ipv6"] as const).map((family) => listOf(ranges.filter((range) => range.family === family)));
  return (address) => isIn(isIn(everyV4, address) ? v4! : v6!, address);
}
