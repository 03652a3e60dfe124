import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { isIn, listOfTexts } from "../../src/contract/text/addresses.ts";
import { ConfigError } from "./read.ts";

/** Addresses that cannot be those of clients on the internet: this machine, private networks, the same link. */
const nearby = listOfTexts([
  "127.0.0.0/8",
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "::1",
  "fc00::/7",
  "fe80::/10",
]);

/** Whether a peer with this address can only be a proxy, or somebody in the same network. */
export const isNearby = (address: string) => isIn(nearby, address);

/**
 * With --behind-proxy and no list of proxies, whoever connects from nearby is the proxy. Throws ConfigError where clients could
 * connect as well: where the server would listen on a public address.
 */
export function requireNearbyPeers(host: string, addresses: readonly string[]): void {
  const open = addresses.find((address) => !isNearby(address));
  if (open === undefined) return;
  throw new ConfigError(
    `With --host ${host} the server would listen on ${open}, which is not a private address, and could not tell the proxy from its clients. The server was not started. Set PLAYTEST_TRUSTED_PROXIES to the address of the proxy, or --host to an address that only the proxy can reach.`,
  );
}

/** The addresses that a server listens on which is given `host`: with `::` those of both families, whatever the system's default is. */
export async function listeningAddresses(host: string, interfaces = networkInterfaces()): Promise<string[]> {
  const own = Object.values(interfaces).flatMap((all) => all ?? []);
  if (host === "0.0.0.0") return own.filter(({ family }) => family === "IPv4").map(({ address }) => address);
  if (host === "::") return own.map(({ address }) => address);
  if (isIP(host)) return [host];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
