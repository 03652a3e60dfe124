import { v7 } from "uuid";

/** UUIDv7 of the server's time; ids made in one millisecond count up, so they sort in the order they were made. */
export function createIds(now: () => number, randomBytes: (count: number) => Buffer): () => string {
  let last = 0;
  let seq = 0;
  let random: Buffer = Buffer.alloc(0);
  // Asking the system costs more than the rest of an id: it is asked for many at once.
  const next16 = () => {
    if (random.length === 0) random = randomBytes(16 * 64);
    const bytes = random.subarray(0, 16);
    random = random.subarray(16);
    return bytes;
  };
  return () => {
    const msecs = Math.max(now(), last);
    seq = msecs === last ? (seq + 1) | 0 : randomBytes(4).readUInt32BE() >>> 1;
    last = msecs;
    return v7({ msecs, seq: seq >>> 0, random: next16() });
  };
}
