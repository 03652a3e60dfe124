import { pooled } from "../lib/random.ts";

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
const length = 20;

/** Creates request ids: `req_` and 20 lower-case letters and digits, short enough to read out to the operator. */
export function createRequestIds(randomBytes: (count: number) => Buffer): () => string {
  const random = pooled(randomBytes, 200 * length);
  return () => {
    let id = "req_";
    for (const byte of random(length)) id += alphabet[byte % alphabet.length];
    return id;
  };
}
