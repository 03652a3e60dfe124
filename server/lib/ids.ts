import { v7 } from "uuid";
import { pooled } from "./random.ts";

/** Creates UUIDv7 ids of the server's time. Ids within one millisecond are increasing, so all sort in the order of creation. */
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
