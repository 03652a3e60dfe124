import { statSync } from "node:fs";
import { type FileHandle, open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing } from "../../uploads/local-blobs.ts";
import { blobsNow, type Captured, type CaptureSource, capture } from "./capture.ts";
import { databaseNameOf, isName, type Manifest, names, rowsOnly, sumLine } from "./contents.ts";
import { pieces, TarWriter } from "./tar.ts";

interface Source extends CaptureSource {
  version: string;
  now: number;
}

/** One archive while it is written. */
export class Packing {
  readonly missing: string[] = [];
  database: Manifest["database"] = rowsOnly;
  readonly #tar: TarWriter;
  readonly #source: Source;
  readonly #sums = new Map<string, string>();
  #done = 0;
  #total = 0;

  constructor(file: FileHandle, source: Source) {
    this.#tar = new TarWriter(file, source.now);
    this.#source = source;
  }

  get files(): number {
    return this.#sums.size;
  }

  /**
   * The files first, then the database, then the files that came meanwhile: what its rows tell of is all there, and what takes long is
   * not between them. A video that was replaced right then is gone though: then the database is looked at once more.
   */
  async everything(key: Buffer): Promise<void> {
    const { dataDir } = this.#source.location;
    await this.#addText(names.key, `${key.toString("hex")}\n`);
    const config = await readFile(join(dataDir, names.config)).catch(unlessMissing);
    if (config) await this.#addText(names.config, config);
    await this.#addFiles((await blobsNow(this.#source.location)).map((blob) => `blobs/${blob}`));
    const mails = (await readdir(join(dataDir, "outbox")).catch(unlessMissing)) ?? [];
    await this.#addFiles(mails.map((name) => `outbox/${name}`).filter(isName));
    const captured = await this.#captureWithFiles();
    await this.#addDatabase(captured);
    await this.#addText(names.manifest, this.#manifest(captured));
    const sums = Buffer.from([...this.#sums].map(([name, sum]) => sumLine(sum, name)).join(""));
    await this.#tar.add(names.sums, sums.length, [sums]);
    await this.#tar.end();
  }

  async #captureWithFiles(): Promise<Captured> {
    for (let before: string[] | undefined; ; ) {
      const captured = await capture(this.#source);
      const lost = await this.#addFiles(captured.blobs.map((blob) => `blobs/${blob}`));
      const stays = before !== undefined && lost.every((name) => before!.includes(name));
      if (lost.length === 0 || stays) {
        this.missing.push(...lost);
        return captured;
      }
      before = lost;
    }
  }

  /** Adds what is not in yet; the names of those that are not there. What is stored never changes, but it may be removed. */
  async #addFiles(wanted: readonly string[]): Promise<string[]> {
    const sizes = wanted
      .filter((name) => !this.#sums.has(name))
      .map((name) => ({ name, size: sizeOf(join(this.#source.location.dataDir, name)) }));
    for (const { size } of sizes) this.#total += size ?? 0;
    const lost: string[] = [];
    for (const { name } of sizes) if (!(await this.#addFile(name, join(this.#source.location.dataDir, name)))) lost.push(name);
    return lost;
  }

  async #addFile(name: string, path: string): Promise<boolean> {
    const file = await open(path).catch(unlessMissing);
    if (!file) return false;
    try {
      const { size } = await file.stat();
      this.#sums.set(name, await this.#tar.add(name, size, this.#counted(pieces(file, size))));
      return true;
    } finally {
      await file.close();
    }
  }

  async *#counted(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of bytes) {
      yield piece;
      this.#done += piece.length;
      this.#source.onProgress("Copying", this.#done, this.#total);
    }
  }

  async #addText(name: string, text: string | Buffer): Promise<void> {
    const bytes = Buffer.from(text);
    this.#sums.set(name, await this.#tar.add(name, bytes.length, [bytes]));
  }

  async #addDatabase(captured: Captured): Promise<void> {
    this.database = captured.database;
    this.#total += statSync(this.#source.scratch).size;
    await this.#addFile(databaseNameOf(captured), this.#source.scratch);
  }

  #manifest({ database, migrations }: Captured): string {
    const { version, now } = this.#source;
    const manifest: Manifest = {
      format: "playtest-archive",
      version: 1,
      program: version,
      createdAt: new Date(now).toISOString(),
      database,
      migrations,
      missing: this.missing,
    };
    return `${JSON.stringify(manifest, undefined, 2)}\n`;
  }
}

/** Bytes of a file; undefined when it is not there. */
export const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size;

const unlessMissing = (error: unknown): undefined => {
  if (isMissing(error)) return undefined;
  throw error;
};
