import { createHash } from "node:crypto";
import { once } from "node:events";
import { Agent } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { DefaultHttpStack, Upload, type UploadOptions } from "tus-js-client";
import type { Person } from "./factories.ts";
import type { Node, TestServer } from "./server.ts";

export const tus = { "tus-resumable": "1.0.0" };
export const octets = { ...tus, "content-type": "application/offset+octet-stream" };
export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** `Upload-Metadata` as the protocol writes it. */
export const metadataHeader = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString("base64")}`)
    .join(",");

export interface RawReply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an error body, of any shape until the test has looked
  body: any;
}

/** One request of the protocol, by hand. `path` is below `/api/v1`, or a whole address. */
export async function raw(
  server: Node,
  person: Person | undefined,
  method: string,
  path: string,
  headers: Record<string, string> = tus,
  body?: Uint8Array,
): Promise<RawReply> {
  const url = path.startsWith("http") ? path : `${server.baseUrl}/api/v1${path}`;
  const authorization = person && { authorization: `Bearer ${person.key}` };
  const reply = await fetch(url, { method, headers: { ...authorization, ...headers }, ...(body && { body }) });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** Creates an upload; its address. */
export async function begin(
  server: Node,
  person: Person,
  path: string,
  size: number,
  metadata: Record<string, string>,
): Promise<string> {
  const headers = { ...tus, "upload-length": String(size), "upload-metadata": metadataHeader(metadata) };
  const reply = await raw(server, person, "POST", path, headers);
  if (reply.status !== 201) throw new Error(`no upload: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.headers.get("location")!;
}

export const patch = (server: Node, person: Person, url: string, offset: number, body: Uint8Array, headers = {}) =>
  raw(server, person, "PATCH", url, { ...octets, "upload-offset": String(offset), ...headers }, body);

/** Uploads with tus-js-client, the real client; resolves with the address. */
export function upload(server: TestServer, person: Person, path: string, bytes: Buffer, options: UploadOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const task = new Upload(bytes, {
      endpoint: `${server.baseUrl}/api/v1${path}`,
      headers: { authorization: `Bearer ${person.key}` },
      retryDelays: [0],
      onError: reject,
      onSuccess: () => resolve(task.url!),
      ...options,
    });
    task.start();
  });
}

/** A generator of the same numbers in every run, 0 to 1 (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A way to the server that breaks `count` times, each time after another random number of bytes up to `most`. */
async function brittleWay(server: TestServer, count: number, most: number) {
  const random = seeded(20);
  const port = Number(new URL(server.baseUrl).port);
  const way = { cuts: 0, agent: new Agent(), close: () => proxy.close() };
  const proxy = createServer((client) => {
    let left = way.cuts < count ? 1_000 + Math.floor(random() * most) : Number.POSITIVE_INFINITY;
    const upstream = connect(port, "127.0.0.1");
    const drop = () => [client, upstream].map((socket) => socket.destroy());
    for (const socket of [client, upstream]) socket.on("error", drop).on("close", drop);
    upstream.pipe(client);
    client.on("data", (chunk) => {
      left -= chunk.length;
      if (left > 0) return void upstream.write(chunk);
      way.cuts++;
      upstream.end(chunk.subarray(0, chunk.length + left));
      client.destroy();
    });
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  way.agent.createConnection = () => connect((proxy.address() as AddressInfo).port, "127.0.0.1");
  return way;
}

/** Uploads while the connection is cut `count` times, at random places; how often it was. */
export async function uploadWithCuts(
  server: TestServer,
  person: Person,
  path: string,
  bytes: Buffer,
  metadata: Record<string, string>,
  count: number,
): Promise<number> {
  const way = await brittleWay(server, count, bytes.length / count);
  try {
    const httpStack = new DefaultHttpStack({ agent: way.agent });
    await upload(server, person, path, bytes, {
      metadata,
      httpStack,
      retryDelays: Array(count * 2).fill(0),
      onShouldRetry: () => true,
    });
  } finally {
    way.close();
  }
  return way.cuts;
}
