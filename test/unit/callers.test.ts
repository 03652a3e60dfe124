import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { createAddresses } from "../../server/http/address.ts";

const proxies = ["10.0.0.0/8", "fd00::/8"];

it.each([
  { name: "who connects", peer: "192.0.2.1", caller: "192.0.2.1" },
  { name: "who connects, written as IPv6", peer: "::ffff:192.0.2.1", caller: "192.0.2.1" },
  { name: "who connects, whatever they say", peer: "192.0.2.1", said: "203.0.113.9", caller: "192.0.2.1" },
  { name: "who connects, where no proxy is trusted", peer: "10.0.0.1", said: "203.0.113.9", trusted: [], caller: "10.0.0.1" },
  { name: "whom a proxy saw", peer: "10.0.0.1", said: "203.0.113.9", caller: "203.0.113.9" },
  {
    name: "whom the first of our proxies saw",
    peer: "10.0.0.1",
    said: "198.51.100.7, 203.0.113.9, 10.2.3.4",
    caller: "203.0.113.9",
  },
  { name: "a proxy that says nobody", peer: "fd00::1", said: "", caller: "fd00:0:0:0" },
  { name: "whom a proxy saw, without the port", peer: "10.0.0.1", said: "203.0.113.9:61000", caller: "203.0.113.9" },
  { name: "a network of one subscriber", peer: "2001:db8:1:2:3:4:5:6", caller: "2001:db8:1:2" },
  { name: "the same network", peer: "2001:db8:1:2::9", caller: "2001:db8:1:2" },
  { name: "the same network behind a proxy", peer: "10.0.0.1", said: "[2001:db8:1:2::7]:443", caller: "2001:db8:1:2" },
  { name: "a word for an address", peer: "10.0.0.1", said: "unknown", caller: "unknown" },
])("limits count $name", ({ peer, said, trusted = proxies, caller }) => {
  const headers = said === undefined ? {} : { "x-forwarded-for": said };
  const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
  expect(createAddresses(trusted)(request)).toBe(caller);
});
