import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { unlessMissing } from "../../uploads/local-blobs.ts";
import type { Bucket, Found } from "../../uploads/s3/bucket.ts";
import { keyWith } from "../keys/identity.ts";
import { blobsNow, type Captured, type CaptureSource, capture } from "./capture.ts";
import { databaseNameOf, isName, type Manifest, names, rowsOnly, sumLine } from "./contents.ts";
import { pieces } from "./tar.ts";

interface Source extends Omit<CaptureSource, "refusal"> {
  /** Where files are that are not on the local disk. */
  bucket: Bucket | undefined;
  /** The server's configuration file, where that is not in the data directory. */
  config?: string | undefined;
  /** The environment, which may have the instance key. */
  env: Readonly<Record<string, string | undefined>>;
  version: string;
  now: number;
}

/** What the files of an archive are written to, one after the other: a tar file or a folder. */
export interface Target {
  /** Adds a file of exactly `size` bytes and returns its SHA-256 in hex. */
  add(name: string, size: number, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string>;
  /** Takes over a file that an earlier backup has. Returns its SHA-256; undefined when it must be added. */
  reuse?(name: string, size: number): Promise<string | undefined>;
  /** Ends the archive and waits until it is on the disk. */
  end(): Promise<void>;
}

/** Writes one archive. */
export class ArchiveWriter {
  readonly missing: string[] = [];
  /** Files that stay in the bucket. */
  readonly referred = new Map<string, Found>();
  database: Manifest["database"] = rowsOnly;
  /** Size of all its files, and of those that no earlier backup had. */
  bytes = 0;
  newBytes = 0;
  newFiles = 0;
  readonly #target: Target;
  readonly #source: Source;
  readonly #sums = new Map<string, string>();
  #done = 0;
  #total = 0;

  constructor(target: Target, source: Source) {
    this.#target = target;
    this.#source = source;
  }

  get files(): number {
    return this.#sums.size;
  }

  /**
   * Writes the files, then the database, then the files that were added meanwhile, so that every file that the rows refer to is in the
   * archive. A video that was replaced meanwhile may be missing: then the database is copied once more. `key` was the instance key when the
   * backup began; the archive gets that of the copied database, because it may have been rotated meanwhile.
   */
  async writeAll(key: Uint8Array): Promise<void> {
    const { location, config: given } = this.#source;
    const { dataDir } = location;
    const config = await readFile(given ?? join(dataDir, names.config)).catch(unlessMissing);
    if (config) await this.#addText(names.config, config);
    await this.#addFiles((await blobsNow(this.#source.location)).map((blob) => `blobs/${blob}`));
    const mails = (await readdir(join(dataDir, "outbox")).catch(unlessMissing)) ?? [];
    await this.#addFiles(mails.map((name) => `outbox/${name}`).filter(isName));
    const captured = await this.#captureWithFiles();
    await this.#addText(names.key, `${Buffer.from(this.#keyOf(captured, key)).toString("hex")}\n`);
    await this.#addDatabase(captured);
    await this.#addText(names.manifest, this.#manifest(captured));
    const sums = Buffer.from([...this.#sums].map(([name, sum]) => sumLine(sum, name)).join(""));
    await this.#target.add(names.sums, sums.length, [sums]);
    await this.#target.end();
  }

  #keyOf({ fingerprint }: Captured, inForce: Uint8Array): Uint8Array {
    if (fingerprint === undefined) return inForce;
    const { location, env } = this.#source;
    const place = { dataDir: location.dataDir, secretKey: env.PLAYTEST_SECRET_KEY, randomBytes };
    return keyWith(fingerprint, inForce, place, "No backup was kept.");
  }

  async #captureWithFiles(): Promise<Captured> {
    for (let before: string[] | undefined; ; ) {
      const captured = await capture({ ...this.#source, refusal: { outcome: "No backup was kept." } });
      const missing = await this.#addFiles(captured.blobs.map((blob) => `blobs/${blob}`));
      const stillMissing = before !== undefined && missing.every((name) => before!.includes(name));
      if (missing.length === 0 || stillMissing) {
        this.missing.push(...missing);
        return captured;
      }
      before = missing;
    }
  }

  /** Adds the files that are not in the archive yet. Returns the names of missing ones: stored files never change but may be removed. */
  async #addFiles(wanted: readonly string[]): Promise<string[]> {
    const sizes = wanted
      .filter((name) => !this.#sums.has(name) && !this.referred.has(name))
      .map((name) => ({
        name,
        size: this.#pathsOf(name)
          .map(sizeOf)
          .find((size) => size !== undefined),
      }));
    for (const { size } of sizes) this.#total += size ?? 0;
    const missing: string[] = [];
    for (const { name } of sizes) if (!(await this.#addFirst(name)) && !(await this.#refer(name))) missing.push(name);
    return missing;
  }

  /** Where a file may be on the local disk: one that waits for the bucket is in the folder `storing`. */
  #pathsOf(name: string): string[] {
    const { dataDir } = this.#source.location;
    return [join(dataDir, name), ...(name.startsWith("blobs/") ? [join(dataDir, "storing", name.slice("blobs/".length))] : [])];
  }

  async #addFirst(name: string): Promise<boolean> {
    for (const path of this.#pathsOf(name)) if (await this.#addFile(name, path)) return true;
    return false;
  }

  async #refer(name: string): Promise<boolean> {
    const found = name.startsWith("blobs/") ? await this.#source.bucket?.find(name.slice("blobs/".length)) : undefined;
    if (found) this.referred.set(name, found);
    return found !== undefined;
  }

  async #addFile(name: string, path: string): Promise<boolean> {
    const file = await open(path).catch(unlessMissing);
    if (!file) return false;
    try {
      const { size } = await file.stat();
      const known = await this.#target.reuse?.(name, size);
      if (known === undefined) await this.#add(name, size, this.#counted(pieces(file, size)));
      else this.#reused(name, size, known);
      return true;
    } finally {
      await file.close();
    }
  }

  async #add(name: string, size: number, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    this.#sums.set(name, await this.#target.add(name, size, bytes));
    this.bytes += size;
    this.newBytes += size;
    this.newFiles += 1;
  }

  #reused(name: string, size: number, sum: string): void {
    this.#sums.set(name, sum);
    this.bytes += size;
    this.#progress(size);
  }

  #progress(more: number): void {
    this.#done += more;
    this.#source.onProgress("Copying", this.#done, this.#total);
  }

  async *#counted(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      yield piece;
      this.#progress(piece.length);
    }
  }

  async #addText(name: string, text: string | Buffer): Promise<void> {
    const bytes = Buffer.from(text);
    await this.#add(name, bytes.length, [bytes]);
  }

  async #addDatabase(captured: Captured): Promise<void> {
    this.database = captured.database;
    this.#total += statSync(this.#source.scratch).size;
    await this.#addFile(databaseNameOf(captured), this.#source.scratch);
  }

  #manifest({ database, migrations }: Captured): string {
    const { version, now, bucket } = this.#source;
    const files = [...this.referred].map(([name, { size, sha256 = null }]) => ({ name, size, sha256 }));
    const manifest: Manifest = {
      format: "playtest-archive",
      version: 1,
      program: version,
      createdAt: new Date(now).toISOString(),
      database,
      migrations,
      missing: this.missing,
      ...(bucket && { bucket: { address: bucket.name, files } }),
    };
    return `${JSON.stringify(manifest, undefined, 2)}\n`;
  }
}

/** Size of a file in bytes; undefined when it does not exist. */
export const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size;
