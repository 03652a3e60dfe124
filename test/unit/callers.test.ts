import type { IncomingMessage } from "node:http";
import type { NetworkInterfaceInfo } from "node:os";
import { expect, it } from "vitest";
import { listeningAddresses, requireNearbyPeers } from "../../server/config/proxy-trust.ts";
import { createAddresses } from "../../server/http/address.ts";

const proxies = ["10.0.0.0/8", "fd00::/8"];

it.each([
  { name: "the address of the connection", peer: "192.0.2.1", caller: "192.0.2.1" },
  { name: "an IPv4 connection written as IPv6", peer: "::ffff:192.0.2.1", caller: "192.0.2.1" },
  {
    name: "a connection that sends X-Forwarded-For and is not a trusted proxy",
    peer: "192.0.2.1",
    forwarded: "203.0.113.9",
    caller: "192.0.2.1",
  },
  { name: "a proxy when no proxy is trusted", peer: "10.0.0.1", forwarded: "203.0.113.9", trusted: [], caller: "10.0.0.1" },
  { name: "a client behind a trusted proxy", peer: "10.0.0.1", forwarded: "203.0.113.9", caller: "203.0.113.9" },
  {
    name: "a client behind two trusted proxies",
    peer: "10.0.0.1",
    forwarded: "198.51.100.7, 203.0.113.9, 10.2.3.4",
    caller: "203.0.113.9",
  },
  { name: "a trusted proxy with an empty X-Forwarded-For", peer: "fd00::1", forwarded: "", caller: "fd00:0:0:0" },
  { name: "a client given with a port", peer: "10.0.0.1", forwarded: "203.0.113.9:61000", caller: "203.0.113.9" },
  { name: "an IPv6 address: its /64 network", peer: "2001:db8:1:2:3:4:5:6", caller: "2001:db8:1:2" },
  { name: "another IPv6 address of the same network", peer: "2001:db8:1:2::9", caller: "2001:db8:1:2" },
  {
    name: "an IPv6 address of that network behind a proxy",
    peer: "10.0.0.1",
    forwarded: "[2001:db8:1:2::7]:443",
    caller: "2001:db8:1:2",
  },
  { name: "an IPv6 address whose zeros are in its middle", peer: "2001::8:7:6:5:4", caller: "2001:0:0:8" },
  { name: "one with leading zeros and capital letters", peer: "2001:0DB8:0000:00A1:1::", caller: "2001:db8:0:a1" },
  { name: "one with a zone, unchanged", peer: "fe80::1%eth0", caller: "fe80::1%eth0" },
  {
    name: "a client behind a proxy that is trusted with a zone",
    peer: "fe80::1%eth0",
    forwarded: "203.0.113.9",
    trusted: ["fe80::/10"],
    caller: "203.0.113.9",
  },
  {
    name: "behind one that is trusted as IPv4 written as IPv6",
    peer: "10.0.0.1",
    forwarded: "203.0.113.9",
    trusted: ["::ffff:10.0.0.1"],
    caller: "203.0.113.9",
  },
  { name: "a client whose address is unknown", peer: "10.0.0.1", forwarded: "unknown", caller: "unknown" },
])("caller address for rate limits: $name", ({ peer, forwarded, trusted = proxies, caller }) => {
  expect(callerOf({ peer, forwarded, behindProxy: false, trusted })).toBe(caller);
});

it.each([
  { name: "a client behind a proxy on this machine", peer: "127.0.0.1", forwarded: "203.0.113.9", caller: "203.0.113.9" },
  { name: "behind one in a private network", peer: "::ffff:172.17.0.1", forwarded: "203.0.113.9", caller: "203.0.113.9" },
  { name: "behind one in a private IPv6 network", peer: "fd12::1", forwarded: "2001:db8:1:2::9", caller: "2001:db8:1:2" },
  { name: "what a client wrote before the proxy", peer: "10.0.0.1", forwarded: "1.1.1.1, 192.168.1.5", caller: "192.168.1.5" },
  { name: "a proxy that names nobody", peer: "127.0.0.1", forwarded: undefined, caller: "127.0.0.1" },
  { name: "a peer with a public address", peer: "192.0.2.1", forwarded: "203.0.113.9", caller: "192.0.2.1" },
  { name: "a peer in the network of a provider", peer: "100.64.0.1", forwarded: "203.0.113.9", caller: "100.64.0.1" },
])("caller address behind a proxy that is not named: $name", ({ caller, ...from }) => {
  expect(callerOf({ ...from, behindProxy: true, trusted: [] })).toBe(caller);
});

it.each([
  ["127.0.0.1", ["127.0.0.1"], true],
  ["0.0.0.0", ["127.0.0.1", "172.17.0.2", "fe80::42:acff:fe11:2%eth0"], true],
  ["0.0.0.0", ["127.0.0.1", "203.0.113.7"], false],
  ["::", ["::1", "2001:db8::7"], false],
  ["100.64.0.7", ["100.64.0.7"], false],
])("--behind-proxy without a named proxy, listening on %s (%j): accepted %s", (host, addresses, accepted) => {
  const check = () => requireNearbyPeers(host, addresses);
  if (accepted) check();
  else expect(check).toThrow(`would listen on ${addresses.at(-1)}, which is not a private address`);
});

interface From {
  peer: string;
  forwarded: string | undefined;
  behindProxy: boolean;
  trusted: string[];
}

function callerOf({ peer, forwarded, behindProxy, trusted }: From): string {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
  return createAddresses({ behindProxy, http: { trustedProxies: trusted } })(request);
}

it.each([
  ["0.0.0.0", ["127.0.0.1", "10.0.0.5"]],
  ["::", ["127.0.0.1", "::1", "10.0.0.5", "2001:db8::7"]],
  ["10.0.0.5", ["10.0.0.5"]],
])("a server that is given %s listens on %j", async (host, expected) => {
  const at = (address: string) => {
    const family = address.includes(":") ? ("IPv6" as const) : ("IPv4" as const);
    return { address, family, netmask: "", mac: "", internal: false, cidr: null, scopeid: 0 };
  };
  const interfaces = { lo: ["127.0.0.1", "::1"].map(at), eth0: ["10.0.0.5", "2001:db8::7"].map(at), tun0: undefined };
  expect(await listeningAddresses(host, interfaces as NodeJS.Dict<NetworkInterfaceInfo[]>)).toEqual(expected);
});
