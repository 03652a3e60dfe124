import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { BucketAway, type Client, S3Error } from "./client.ts";
import { elementsOf, textOf } from "./xml.ts";

/** Of all parts but the last. Amazon's least is 5 MiB, and it takes at most 10,000 parts. */
export const partBytes = 8 * 2 ** 20;
const maxParts = 10_000;
/** Parts of one file that are sent at once: this many are in memory. */
const parallel = 3;

/** A file that is stored in parts. */
interface InParts {
  key: string;
  file: FileHandle;
  size: number;
  headers: Readonly<Record<string, string>>;
  stop: AbortSignal | undefined;
}

/** An upload in parts that is not completed. */
interface Unfinished {
  key: string;
  uploadId: string;
  begunAt: number;
}

/** Uploads in parts. */
export class Parts {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Stores a large file, and goes on with what an earlier run sent of it. */
  async store({ key, file, size, headers, stop }: InParts): Promise<void> {
    const each = Math.max(partBytes, Math.ceil(size / maxParts));
    const count = Math.ceil(size / each);
    const uploadId = (await this.#begun(key)) ?? (await this.#begin(key, headers));
    const there = await this.#sent(key, uploadId);
    const etags: string[] = [];
    let next = 1;
    const sendNext = async (): Promise<void> => {
      const number = next++;
      if (number > count) return;
      stop?.throwIfAborted();
      const from = (number - 1) * each;
      const piece = await pieceOf(file, from, Math.min(each, size - from));
      etags[number] = await this.#send(key, { partNumber: String(number), uploadId }, piece, there.get(number));
      return sendNext();
    };
    const ends = await Promise.allSettled(Array.from({ length: parallel }, () => sendNext()));
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    await this.#complete(key, uploadId, etags);
  }

  async try(key: string): Promise<void> {
    const uploadId = await this.#begin(key, {});
    const query = { partNumber: "1", uploadId };
    await this.#send(key, query, Buffer.from("a part"));
    await this.#sent(key, uploadId);
    await this.#client.text({ method: "DELETE", key, query: { uploadId } });
  }

  async #begin(key: string, headers: Readonly<Record<string, string>>): Promise<string> {
    const xml = await this.#client.text({ method: "POST", key, query: { uploads: "" }, headers });
    const id = textOf(xml, "UploadId");
    if (id === undefined) throw new BucketAway(new Error("the bucket began no upload"));
    return id;
  }

  /** An upload to this key that an earlier run began. What is stored under a key never changes, so its parts are still right. */
  async #begun(key: string): Promise<string | undefined> {
    for await (const upload of this.unfinished(key)) if (upload.key === key) return upload.uploadId;
    return undefined;
  }

  async *unfinished(below: string): AsyncGenerator<Unfinished> {
    const { prefix } = this.#client.address;
    const query: Record<string, string> = { uploads: "", prefix: prefix + below };
    for (;;) {
      const xml = await this.#client.text({ method: "GET", query });
      for (const one of elementsOf(xml, "Upload")) {
        const key = textOf(one, "Key")!.slice(prefix.length);
        yield { key, uploadId: textOf(one, "UploadId")!, begunAt: Date.parse(textOf(one, "Initiated") ?? "") };
      }
      const [key, id] = [textOf(xml, "NextKeyMarker"), textOf(xml, "NextUploadIdMarker")];
      if (textOf(xml, "IsTruncated") !== "true" || !key) return;
      Object.assign(query, { "key-marker": key, ...(id && { "upload-id-marker": id }) });
    }
  }

  /** The ETags of the parts that arrived, by number. */
  async #sent(key: string, uploadId: string): Promise<Map<number, string>> {
    const parts = new Map<number, string>();
    const query: Record<string, string> = { uploadId };
    for (;;) {
      const xml = await this.#client.text({ method: "GET", key, query });
      for (const part of elementsOf(xml, "Part")) parts.set(Number(textOf(part, "PartNumber")), textOf(part, "ETag") ?? "");
      const marker = textOf(xml, "NextPartNumberMarker");
      if (textOf(xml, "IsTruncated") !== "true" || !marker) return parts;
      query["part-number-marker"] = marker;
    }
  }

  /** Sends a part, unless it is there from an earlier run. Returns its ETag. */
  async #send(key: string, query: Record<string, string>, piece: Uint8Array, there?: string): Promise<string> {
    if (there?.replaceAll('"', "") === createHash("md5").update(piece).digest("hex")) return there;
    const { headers } = await this.#client.send({ method: "PUT", key, query, body: piece });
    const etag = headers.get("etag");
    if (etag === null) throw new BucketAway(new Error("the bucket confirmed no part of an upload"));
    return etag;
  }

  async #complete(key: string, uploadId: string, etags: readonly string[]): Promise<void> {
    const list = etags.map((etag, number) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`).join("");
    const body = `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`;
    try {
      await this.#client.retried(async () => {
        const xml = await (await this.#client.once({ method: "POST", key, query: { uploadId }, body })).text();
        // Amazon says 200 before it knows.
        const code = textOf(xml, "Code");
        if (code !== undefined) throw new S3Error(500, code, textOf(xml, "Message") ?? "");
      });
    } catch (error) {
      // The reply to an earlier attempt was lost, or another process completed it: the caller looks.
      if (!(error instanceof S3Error && error.code === "NoSuchUpload")) throw error;
    }
  }
}

export async function pieceOf(file: FileHandle, from: number, length: number): Promise<Uint8Array> {
  const piece = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(piece, filled, length - filled, from + filled);
    if (bytesRead === 0) throw new Error("the file became shorter while it was stored");
    filled += bytesRead;
  }
  return piece;
}
