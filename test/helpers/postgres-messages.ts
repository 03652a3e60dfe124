/** The text in `body` from this position to its next zero byte. */
export const text = (body: Buffer, from: number) => body.toString("utf8", from, body.indexOf(0, from));

/** A message of PostgreSQL's protocol. */
export function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/**
 * Splits a stream into messages and returns those that are complete, or in the place of each the bytes that `onMessage` returns. The first one of
 * a client, the startup message, has no type and stays as it is.
 */
export function messages(
  { startup }: { startup: boolean },
  onMessage: (type: string, body: Buffer) => unknown,
): (chunk: Buffer) => Buffer {
  let rest: Buffer = Buffer.alloc(0);
  let untyped = startup;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const complete: Buffer[] = [];
    for (;;) {
      const head = untyped ? 0 : 1;
      if (rest.length < head + 4) break;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) break;
      const whole = rest.subarray(0, length);
      const changed = untyped ? undefined : onMessage(String.fromCharCode(whole[0]!), whole.subarray(5));
      complete.push(changed instanceof Buffer ? changed : whole);
      untyped = false;
      rest = rest.subarray(length);
    }
    return Buffer.concat(complete);
  };
}
