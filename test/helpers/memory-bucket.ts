import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { openBucket } from "../../server/uploads/s3/open.ts";

/**
 * Keeps objects in memory and answers what the server asks of a bucket for small files. It checks no signature and knows no parts: what a
 * bucket does is tested on a real one, what processes with folders of their own agree on is tested with this.
 */
export async function startMemoryBucket() {
  const objects = new Map<string, { bytes: Buffer; headers: Record<string, string> }>();
  let isAway = false;
  let listMs = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isAway) return void request.socket.destroy();
    const { pathname, searchParams } = new URL(request.url!, "http://bucket");
    const key = decodeURIComponent(pathname).replace(/^\/files\/?/, "");
    if (searchParams.has("list-type")) {
      await wait(listMs);
      return void response.end(listOf(searchParams.get("prefix") ?? ""));
    }
    if (request.method === "PUT") {
      const sha256 = request.headers["x-amz-meta-sha256"];
      objects.set(key, { bytes: await buffer(request), headers: sha256 ? { "x-amz-meta-sha256": String(sha256) } : {} });
      return void response.end();
    }
    if (request.method === "DELETE") {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    const found = objects.get(key);
    if (!found) return void response.writeHead(404).end();
    const { bytes, headers } = found;
    if (request.method === "HEAD") return void response.writeHead(200, { ...headers, "content-length": bytes.length }).end();
    const [, from, to] = /bytes=(\d+)-(\d*)/.exec(request.headers.range!)!;
    const [start, end] = [Number(from), Math.min(to ? Number(to) : Number.POSITIVE_INFINITY, bytes.length - 1)];
    const range = { "content-range": `bytes ${start}-${end}/${bytes.length}`, etag: '"1"' };
    response.writeHead(206, range).end(bytes.subarray(start, end + 1));
  }

  function listOf(prefix: string): string {
    const date = new Date().toISOString();
    const contents = [...objects].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
    const xml = contents.map(
      ([key, { bytes }]) =>
        `<Contents><Key>${key}</Key><Size>${bytes.length}</Size><LastModified>${date}</LastModified></Contents>`,
    );
    return `<ListBucketResult>${xml.join("")}<IsTruncated>false</IsTruncated></ListBucketResult>`;
  }

  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
  const address = `s3://files?endpoint=${endpoint}&path-style`;
  return {
    address,
    env,
    /** What is stored: the keys and their bytes. */
    contents: () => Object.fromEntries([...objects].map(([key, { bytes }]) => [key, bytes])),
    /** Whether requests are answered. */
    setAway(away: boolean) {
      isAway = away;
    },
    /** How long (ms) each page of a list takes. */
    setListTime(ms: number) {
      listMs = ms;
    },
    open: () => openBucket(address, { env, now: Date.now, attempts: 1 }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
