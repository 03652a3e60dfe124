type RandomBytes = (count: number) => Buffer;

/** Random bytes, fetched `poolSize` bytes at a time, because a call for each id is expensive. Not for secrets. */
export function pooled(randomBytes: RandomBytes, poolSize: number): RandomBytes {
  let pool: Buffer = Buffer.alloc(0);
  let at = 0;
  return (count) => {
    if (at + count > pool.length) {
      pool = randomBytes(poolSize);
      at = 0;
    }
    at += count;
    return pool.subarray(at - count, at);
  };
}
