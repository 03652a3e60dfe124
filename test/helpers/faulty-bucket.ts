import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** What happens to a request on its way to a bucket, or to the reply. */
export interface BucketFault {
  /** Which request: the method and the beginning of its query, or undefined for any. */
  method?: string;
  query?: string;
  kind: "away" | "503" | "reply lost" | "cut" | "slow" | "fewer" | "more" | "other range";
  /** How many requests it happens to; one unless given. */
  times?: number;
}

export interface FaultyBucket {
  endpoint: string;
  faults: BucketFault[];
  /** The requests so far, as `PUT videos/… ?partNumber`. */
  readonly requests: string[];
  /** Bytes that came from objects. */
  readonly sent: number;
  close(): Promise<void>;
}

/** A way to an S3 server on which things go wrong. */
export async function startFaultyBucket(target: string): Promise<FaultyBucket> {
  const faults: BucketFault[] = [];
  const requests: string[] = [];
  let sent = 0;

  function faultFor({ method, url = "" }: IncomingMessage): BucketFault["kind"] | undefined {
    const query = url.split("?")[1] ?? "";
    const fault = faults.find((one) => (one.method ?? method) === method && query.includes(one.query ?? ""));
    if (!fault) return undefined;
    fault.times = (fault.times ?? 1) - 1;
    if (fault.times <= 0) faults.splice(faults.indexOf(fault), 1);
    return fault.kind;
  }

  async function carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    requests.push(`${request.method} ${request.url}`);
    const fault = faultFor(request);
    if (fault === "away") return void request.socket.destroy();
    if (fault === "503") {
      request.resume();
      await once(request, "end");
      return void response.writeHead(503).end("<Error><Code>SlowDown</Code><Message>Reduce your rate</Message></Error>");
    }
    if (fault === "slow") await pause(150);
    const { hostname, port } = new URL(target);
    const onward = httpRequest({ hostname, port, method: request.method, path: request.url, headers: request.headers });
    request.pipe(onward);
    response.once("close", () => onward.destroy());
    const [reply] = (await once(onward, "response")) as [IncomingMessage];
    if (fault === "reply lost") {
      reply.resume();
      await once(reply, "end");
      return void request.socket.destroy();
    }
    await answer(reply, response, fault, request);
  }

  async function answer(reply: IncomingMessage, response: ServerResponse, fault: string | undefined, request: IncomingMessage) {
    const headers = { ...reply.headers };
    const length = Number(headers["content-length"] ?? 0);
    if (fault === "more") headers["content-length"] = String(length + 1000);
    if (fault === "fewer") headers["content-length"] = String(Math.floor(length / 2));
    if (fault === "other range") headers["content-range"] = String(headers["content-range"]).replace(/bytes \d+/, "bytes 7");
    response.writeHead(reply.statusCode!, headers);
    let carried = 0;
    for await (const chunk of reply as AsyncIterable<Buffer>) {
      const room = fault === "cut" || fault === "fewer" ? Math.floor(length / 2) - carried : chunk.length;
      carried += chunk.length;
      if (request.method === "GET" && /\/(videos|builds)\//.test(request.url ?? "")) sent += chunk.length;
      await new Promise((resolve) => response.write(chunk.subarray(0, Math.max(0, room)), resolve));
      if (response.destroyed) return;
      if (fault === "cut" && room < chunk.length) return void request.socket.destroy();
    }
    if (fault === "more") return void request.socket.destroy();
    response.end();
  }

  const server = createServer((request, response) => {
    carry(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    requests,
    get sent() {
      return sent;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
