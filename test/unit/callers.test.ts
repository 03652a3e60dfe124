import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
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
  { name: "a client whose address is unknown", peer: "10.0.0.1", forwarded: "unknown", caller: "unknown" },
])("caller address for rate limits: $name", ({ peer, forwarded, trusted = proxies, caller }) => {
  const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
  expect(createAddresses(trusted)(request)).toBe(caller);
});
