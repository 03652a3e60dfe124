const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";
const length = 20;
const perBatch = 200;

/** Request ids: `req_` and 20 lower-case letters and digits (decisions §1). Randomness is fetched for many at once. */
export function createRequestIds(randomBytes: (count: number) => Buffer): () => string {
  let bytes: Buffer = Buffer.alloc(0);
  let at = 0;
  return () => {
    if (at === bytes.length) {
      bytes = randomBytes(length * perBatch);
      at = 0;
    }
    let id = "req_";
    for (const end = at + length; at < end; at++) id += alphabet[bytes[at]! % alphabet.length];
    return id;
  };
}
