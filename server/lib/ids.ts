import { v7 } from "uuid";
import { pooled } from "./random.ts";

/** UUIDv7 of the server's time; ids made in one millisecond count up, so they sort in the order they were made. */
export function createIds(now: () => number, randomBytes: (count: number) => Buffer): () => string {
  const random = pooled(randomBytes, 4_000);
  let last = 0;
  let seq = 0;
  return () => {
    const msecs = Math.max(now(), last);
    seq = msecs === last ? (seq + 1) | 0 : random(4).readUInt32BE() >>> 1;
    last = msecs;
    return v7({ msecs, seq: seq >>> 0, random: random(16) });
  };
}
