import { createHash } from "node:crypto";
import { Upload, type UploadOptions } from "tus-js-client";
import type { TestServer } from "./server.ts";
import type { Person } from "./story.ts";

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
  server: TestServer,
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
  server: TestServer,
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

export const patch = (server: TestServer, person: Person, url: string, offset: number, body: Uint8Array, headers = {}) =>
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
