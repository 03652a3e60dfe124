import type { IncomingMessage } from "node:http";
import { pooled } from "../lib/random.ts";
import { peerOf } from "./address.ts";

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
const length = 20;

/** What proxies make: hexadecimal digits, UUIDs and the like. */
const proxyId = /^[\w.-]{8,64}$/;

/**
 * The id of a request: that of a trusted proxy, so that its log and the server's can be compared, or a new one: `req_` and 20 lower-case
 * letters and digits, short enough to read out to the operator.
 */
export function createRequestIds(
  randomBytes: (count: number) => Buffer,
  isProxy: (address: string) => boolean,
): (request: IncomingMessage) => string {
  const random = pooled(randomBytes, 200 * length);
  return (request) => {
    const given = request.headers["x-request-id"];
    if (typeof given === "string" && proxyId.test(given) && isProxy(peerOf(request))) return given;
    let id = "req_";
    for (const byte of random(length)) id += alphabet[byte % alphabet.length];
    return id;
  };
}
