import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { ByteRange } from "../../http/range.ts";
import type { StoredFile } from "../blobs.ts";
import { BucketAway, type Client, S3Error, type S3Reply } from "./client.ts";
import { elementsOf, textOf } from "./xml.ts";

/** What is known of an object. */
export interface Found {
  size: number;
  /** In hex; undefined for what another program stored. */
  sha256: string | undefined;
}

/** A bucket in which whole files are stored under keys. */
export interface Bucket {
  find(key: string): Promise<Found | undefined>;
  /** The bytes `start`..`end`, both included, or all; undefined when there is no such object. Goes on where the connection broke. */
  read(key: string, range?: ByteRange): Promise<AsyncGenerator<Uint8Array> | undefined>;
  /** Stores a file whose contents do not change; goes on where an earlier run was stopped. `sha256` is that of the file. */
  store(key: string, path: string, sha256: string, stop?: AbortSignal): Promise<void>;
  /** Stores some bytes. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
  /** All objects whose keys begin with one of these, with whole keys. */
  list(prefixes: readonly string[]): AsyncGenerator<StoredFile>;
  /** Ends uploads to this bucket that were begun before a time (ms) and never completed: they cost, and nobody sees them. */
  endUnfinished(before: number): Promise<number>;
}

/** Of all parts but the last. Amazon's least is 5 MiB, and it takes at most 10,000 parts. */
const partBytes = 8 * 2 ** 20;
const maxParts = 10_000;
/** Parts of one file that are sent at once: this many are in memory. */
const parallel = 3;

const isMissing = (error: unknown) => error instanceof S3Error && (error.status === 404 || error.code === "NoSuchKey");

export function createBucket(client: Client): Bucket {
  const { prefix } = client.address;

  async function find(key: string): Promise<Found | undefined> {
    try {
      const { headers } = await client.send({ method: "HEAD", key });
      return { size: Number(headers.get("content-length")), sha256: headers.get("x-amz-meta-sha256") ?? undefined };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Which part of the object a reply has. Throws, so that it is asked again, where that is not what was asked for. */
  function extentOf({ status, headers }: S3Reply, asked: ByteRange): ByteRange {
    const [, start, end, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
    const extent = { start: Number(start), end: Number(end) };
    if (status === 206 && extent.start === asked.start && extent.end === Math.min(asked.end, Number(total) - 1)) return extent;
    throw new Error(
      `the bucket answered ${status} with ${headers.get("content-range")} where ${asked.start}-${asked.end} was asked for`,
    );
  }

  async function ask(key: string, range: ByteRange, etag?: string): Promise<{ reply: S3Reply; extent: ByteRange } | undefined> {
    const { start, end } = range;
    const headers = { range: `bytes=${start}-${Number.isFinite(end) ? end : ""}`, ...(etag && { "if-match": etag }) };
    try {
      return await client.retried(async () => {
        const reply = await client.send({ method: "GET", key, headers });
        return { reply, extent: extentOf(reply, range) };
      });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async function read(key: string, range: ByteRange = { start: 0, end: Infinity }) {
    const first = await ask(key, range).catch((error) => {
      // An empty object has no range at all.
      if (error instanceof S3Error && error.status === 416) return "empty" as const;
      throw error;
    });
    if (first === undefined) return undefined;
    return first === "empty" ? nothing() : bytesOf(key, first);
  }

  async function* bytesOf(key: string, first: { reply: S3Reply; extent: ByteRange }): AsyncGenerator<Uint8Array> {
    const { end } = first.extent;
    const etag = first.reply.headers.get("etag") ?? undefined;
    let { start } = first.extent;
    let { bytes } = first.reply;
    let failures = 0;
    for (;;) {
      let problem: unknown = new Error("the bucket sent fewer bytes than it said");
      try {
        for await (const chunk of bytes) {
          if (start + chunk.length > end + 1) throw new Error("the bucket sent more bytes than it said");
          start += chunk.length;
          failures = 0;
          yield chunk;
        }
      } catch (error) {
        problem = error;
      }
      if (start > end) return;
      if (++failures > 5) throw new BucketAway(problem);
      const again = await ask(key, { start, end }, etag);
      if (!again) throw new BucketAway(new Error(`${key} was removed while it was read`));
      bytes = again.reply.bytes;
    }
  }

  async function store(key: string, path: string, sha256: string, stop?: AbortSignal): Promise<void> {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const headers = { "x-amz-meta-sha256": sha256 };
      if (size <= partBytes) await client.text({ method: "PUT", key, headers, body: await pieceOf(file, 0, size) });
      else await storeParts(key, file, size, sha256, stop);
    } finally {
      await file.close();
    }
    const found = await find(key);
    if (found?.sha256 === sha256) return;
    // It may go on an upload that an earlier run began for another file under this key.
    if (found) await remove(key);
    throw new BucketAway(new Error(`the bucket does not have ${key} as it was stored`));
  }

  async function remove(key: string): Promise<void> {
    await client.text({ method: "DELETE", key }).catch((error) => {
      if (!isMissing(error)) throw error;
    });
  }

  async function storeParts(key: string, file: FileHandle, size: number, sha256: string, stop?: AbortSignal): Promise<void> {
    const each = Math.max(partBytes, Math.ceil(size / maxParts));
    const uploadId = (await begunUpload(key)) ?? (await beginUpload(key, sha256));
    const there = await partsOf(key, uploadId);
    const count = Math.ceil(size / each);
    const etags: string[] = [];
    let next = 1;
    const sendNext = async (): Promise<void> => {
      const number = next++;
      if (number > count) return;
      stop?.throwIfAborted();
      const from = (number - 1) * each;
      const piece = await pieceOf(file, from, Math.min(each, size - from));
      etags[number] = await sendPart(key, uploadId, number, piece, there.get(number));
      return sendNext();
    };
    const ends = await Promise.allSettled(Array.from({ length: parallel }, () => sendNext()));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    const list = etags.map((etag, number) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`).join("");
    const body = `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`;
    await client
      .retried(async () => {
        const xml = await client.text({ method: "POST", key, query: { uploadId }, body });
        // Amazon says 200 before it knows.
        const code = textOf(xml, "Code");
        if (code !== undefined) throw new S3Error(500, code, textOf(xml, "Message") ?? "");
      })
      .catch(async (error) => {
        // The reply to the first attempt was lost, or another process completed it.
        if (!(error instanceof S3Error && error.code === "NoSuchUpload")) throw error;
      });
  }

  /** Sends a part, unless it is there from an earlier run. Returns its ETag. */
  async function sendPart(key: string, uploadId: string, number: number, piece: Uint8Array, there?: string): Promise<string> {
    if (there?.replaceAll('"', "") === createHash("md5").update(piece).digest("hex")) return there;
    const query = { partNumber: String(number), uploadId };
    const reply = await client.send({ method: "PUT", key, query, body: piece });
    const etag = reply.headers.get("etag");
    if (etag === null) throw new BucketAway(new Error("the bucket confirmed no part of an upload"));
    return etag;
  }

  async function beginUpload(key: string, sha256: string): Promise<string> {
    const xml = await client.text({ method: "POST", key, query: { uploads: "" }, headers: { "x-amz-meta-sha256": sha256 } });
    const id = textOf(xml, "UploadId");
    if (id === undefined) throw new BucketAway(new Error("the bucket began no upload"));
    return id;
  }

  /** An upload to this key that an earlier run began. What is stored under a key never changes, so its parts are still right. */
  async function begunUpload(key: string): Promise<string | undefined> {
    for await (const upload of unfinished(key)) if (upload.key === key) return upload.id;
    return undefined;
  }

  async function* unfinished(below: string): AsyncGenerator<{ key: string; id: string; begunAt: number }> {
    const query: Record<string, string> = { uploads: "", prefix: prefix + below };
    for (;;) {
      const xml = await client.text({ method: "GET", query });
      for (const one of elementsOf(xml, "Upload")) {
        const key = textOf(one, "Key")!.slice(prefix.length);
        yield { key, id: textOf(one, "UploadId")!, begunAt: Date.parse(textOf(one, "Initiated") ?? "") };
      }
      const [key, id] = [textOf(xml, "NextKeyMarker"), textOf(xml, "NextUploadIdMarker")];
      if (textOf(xml, "IsTruncated") !== "true" || !key) return;
      Object.assign(query, { "key-marker": key, ...(id && { "upload-id-marker": id }) });
    }
  }

  async function partsOf(key: string, uploadId: string): Promise<Map<number, string>> {
    const parts = new Map<number, string>();
    const query: Record<string, string> = { uploadId };
    for (;;) {
      const xml = await client.text({ method: "GET", key, query });
      for (const part of elementsOf(xml, "Part")) parts.set(Number(textOf(part, "PartNumber")), textOf(part, "ETag") ?? "");
      const marker = textOf(xml, "NextPartNumberMarker");
      if (textOf(xml, "IsTruncated") !== "true" || !marker) return parts;
      query["part-number-marker"] = marker;
    }
  }

  async function* list(prefixes: readonly string[]): AsyncGenerator<StoredFile> {
    for (const below of prefixes) {
      const query: Record<string, string> = { "list-type": "2", prefix: prefix + below };
      for (;;) {
        const xml = await client.text({ method: "GET", query });
        for (const one of elementsOf(xml, "Contents")) {
          const key = textOf(one, "Key")!.slice(prefix.length);
          yield { key, size: Number(textOf(one, "Size")), writtenAt: Date.parse(textOf(one, "LastModified") ?? "") };
        }
        const next = textOf(xml, "NextContinuationToken");
        if (textOf(xml, "IsTruncated") !== "true" || !next) break;
        query["continuation-token"] = next;
      }
    }
  }

  return {
    find,
    read,
    store,
    put: async (key, bytes) => void (await client.text({ method: "PUT", key, body: bytes })),
    remove,
    list,
    async endUnfinished(before) {
      let ended = 0;
      for await (const { key, id, begunAt } of unfinished("")) {
        if (begunAt > before) continue;
        await client.text({ method: "DELETE", key, query: { uploadId: id } }).catch((error) => {
          if (!isMissing(error)) throw error;
        });
        ended += 1;
      }
      return ended;
    },
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function pieceOf(file: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const piece = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(piece, filled, length - filled, from + filled);
    if (bytesRead === 0) throw new Error("the file became shorter while it was stored");
    filled += bytesRead;
  }
  return piece;
}
