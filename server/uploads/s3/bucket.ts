import { open } from "node:fs/promises";
import type { ByteRange } from "../../http/range.ts";
import type { StoredFile } from "../blobs.ts";
import { BucketAway, type Client, isMissing } from "./client.ts";
import { Parts, partBytes, pieceOf } from "./parts.ts";
import { readObject } from "./read.ts";
import { elementsOf, textOf } from "./xml.ts";

/** What is known of an object. */
export interface Found {
  size: number;
  /** In hex; undefined for what another program stored. */
  sha256: string | undefined;
}

/** A bucket in which whole files are stored under keys. */
export class Bucket {
  readonly client: Client;
  readonly #parts: Parts;

  constructor(client: Client) {
    this.client = client;
    this.#parts = new Parts(client);
  }

  /** For people. */
  get name(): string {
    const { bucket, prefix } = this.client.address;
    return `s3://${bucket}/${prefix}`;
  }

  async find(key: string): Promise<Found | undefined> {
    try {
      const { headers } = await this.client.send({ method: "HEAD", key });
      return { size: Number(headers.get("content-length")), sha256: headers.get("x-amz-meta-sha256") ?? undefined };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** The bytes `start`..`end`, both included, or all; undefined when there is no such object. Goes on where the connection broke. */
  read = (key: string, range?: ByteRange) => readObject(this.client, key, range);

  /** Stores a file whose contents do not change; goes on where an earlier run was stopped. `sha256` is that of the file. */
  async store(key: string, path: string, sha256: string, stop?: AbortSignal): Promise<void> {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const headers = { "x-amz-meta-sha256": sha256 };
      if (size <= partBytes) await this.client.text({ method: "PUT", key, headers, body: await pieceOf(file, 0, size) });
      else await this.#parts.store({ key, file, size, headers, stop });
    } finally {
      await file.close();
    }
    const found = await this.find(key);
    if (found?.sha256 === sha256) return;
    // It may go on an upload that an earlier run began for another file under this key.
    if (found) await this.remove(key);
    throw new BucketAway(new Error(`the bucket does not have ${key} as it was stored`));
  }

  /** Stores some bytes, which replace those under the key. */
  async put(key: string, body: Uint8Array): Promise<void> {
    await this.client.text({ method: "PUT", key, body });
  }

  /** Does nothing when nothing is stored. */
  remove = (key: string) => this.#delete(key, {});

  async #delete(key: string, query: Record<string, string>): Promise<void> {
    await this.client.text({ method: "DELETE", key, query }).catch((error) => {
      if (!isMissing(error)) throw error;
    });
  }

  /** All objects whose keys begin with one of these. */
  async *list(prefixes: readonly string[]): AsyncGenerator<StoredFile> {
    const { prefix } = this.client.address;
    for (const below of prefixes) {
      const query: Record<string, string> = { "list-type": "2", prefix: prefix + below };
      for (;;) {
        const xml = await this.client.text({ method: "GET", query });
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

  /** Begins an upload in parts and ends it again, to see whether that is allowed. */
  tryParts = (key: string) => this.#parts.try(key);

  /** The time (ms) by the clock of the service. */
  async serverTime(): Promise<number> {
    const { headers } = await this.client.send({ method: "HEAD" });
    return Date.parse(headers.get("date") ?? "");
  }

  /** Ends uploads that were begun before a time (ms) and never completed: they cost, and no list has them. Returns how many. */
  async endUnfinished(before: number): Promise<number> {
    let ended = 0;
    for await (const { key, uploadId, begunAt } of this.#parts.unfinished("")) {
      // A service that does not say when is left alone.
      if (!(begunAt <= before)) continue;
      await this.#delete(key, { uploadId });
      ended += 1;
    }
    return ended;
  }
}
