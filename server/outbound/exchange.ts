import type { IncomingHttpHeaders } from "node:http";
import type { Connection } from "./connection-pool.ts";
import type { OutboundReply, OutboundRequest } from "./types.ts";

/**
 * Sends one request over one connection. Resolves when the response is complete or was cut at `maxBytes` or the deadline; rejects when
 * no response began. Unless the response is complete, the connection is closed.
 */
export function exchange({ client, begin, end }: Connection, url: URL, wanted: OutboundRequest): Promise<OutboundReply> {
  const { method, headers, body = "", deadlineMs, maxBytes } = wanted;
  return new Promise((resolve, reject) => {
    const reply: OutboundReply = { status: 0, headers: {}, body: Buffer.alloc(0), complete: false };
    const chunks: Buffer[] = [];
    let size = 0;

    function finish(complete: boolean): void {
      clearTimeout(deadline);
      resolve({ ...reply, body: Buffer.concat(chunks).subarray(0, maxBytes), complete });
      if (!complete) end();
    }
    function fail(error: Error): void {
      if (reply.status !== 0) {
        finish(false);
        return;
      }
      clearTimeout(deadline);
      // Before the end, which fails the request once more.
      reject(error);
      end();
    }
    const deadline = setTimeout(() => fail(new Error(`no response within ${deadlineMs} ms`)), deadlineMs);

    begin();
    client.dispatch(
      { method, path: url.pathname + url.search, headers, body },
      {
        onRequestStart() {},
        onResponseStart(_, status, received) {
          Object.assign(reply, { status, headers: received as IncomingHttpHeaders });
        },
        onResponseData(_, chunk) {
          if (size > maxBytes) return;
          chunks.push(chunk);
          size += chunk.length;
          if (size > maxBytes) finish(false);
        },
        onResponseEnd: () => finish(size <= maxBytes),
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}
