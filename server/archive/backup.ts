import { existsSync, statSync } from "node:fs";
import { type FileHandle, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { findInstanceKey } from "../instance-key.ts";
import { type Place, type PlaceOptions, placeOf } from "../place.ts";
import { flush, isMissing } from "../providers/blobs/local.ts";
import { SettingRefused } from "../settings.ts";
import { referencedBlobs } from "../store/blobs.ts";
import { dataFile } from "../store/open.ts";
import { openSnapshot } from "../store/snapshot.ts";
import { type Captured, capture } from "./capture.ts";
import { type Manifest, names, sumLine } from "./contents.ts";
import { pieces, TarWriter } from "./tar.ts";

/** Says how far a step is, in bytes or rows; throws when the work is to end. */
export type Tell = (step: string, done: number, total?: number) => void;

export interface BackupOptions extends PlaceOptions {
  /** A file to make, or a folder to make one in. */
  target: string;
  /** Rows that fit either database, instead of the SQLite file. */
  portable: boolean;
  /** Replace a file that is there. */
  force: boolean;
  /** Only look what would be written. */
  dryRun: boolean;
  version: string;
  /** Milliseconds. */
  now: number;
  tell: Tell;
}

export interface Backup {
  file: string;
  bytes: number;
  files: number;
  database: Manifest["database"];
  /** Files that a row tells of and that the server has lost. */
  missing: string[];
}

/**
 * Writes a whole copy of a running or stopped server into one private file, which gets its name only when everything is in it and was
 * checked. Everything that was answered before it began is in it. Throws SettingRefused for a target or a server that cannot be.
 */
export async function backup(options: BackupOptions): Promise<Backup> {
  const place = placeOf(options);
  const key = findInstanceKey(options.env.PLAYTEST_SECRET_KEY, place.dataDir);
  if (key === undefined)
    throw new SettingRefused(
      `There is no server in ${place.dataDir}: it has no instance.key, and PLAYTEST_SECRET_KEY is not set. Nothing was written. Name the folder with --data.`,
    );
  if (place.databaseUrl === undefined && !existsSync(dataFile(place.dataDir)))
    throw new SettingRefused(
      `There is no playtest database in ${place.dataDir}. Nothing was written. Name its folder with --data, or a PostgreSQL database with --database-url.`,
    );
  const file = await targetOf(options);
  if (options.dryRun) return plan(place, file, options.portable);
  const part = join(dirname(file), `.${basename(file)}.part`);
  try {
    const handle = await open(part, "w", 0o600);
    const packed = new Packing(handle, { ...options, place, scratch: `${part}.database` });
    try {
      await packed.everything(key);
    } finally {
      await handle.close();
    }
    await rename(part, file);
    await flush(dirname(file));
    return { file, bytes: statSync(file).size, files: packed.files, database: packed.database, missing: packed.missing };
  } catch (error) {
    throw explained(error, file);
  } finally {
    for (const name of [part, ...["", "-wal", "-shm", "-journal"].map((end) => `${part}.database${end}`)])
      await rm(name, { force: true });
  }
}

/** What would be written now; of a PostgreSQL database the size is not known. */
async function plan({ dataDir, databaseUrl }: Place, file: string, portable: boolean): Promise<Backup> {
  const blobs = await blobsNow({ dataDir, databaseUrl });
  const sizes = blobs.map((key) => sizeOf(join(dataDir, "blobs", key)));
  const missing = blobs.filter((_, at) => sizes[at] === undefined).map((key) => `blobs/${key}`);
  const database = portable || databaseUrl !== undefined ? "rows" : "sqlite";
  const bytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), sizeOf(dataFile(dataDir)) ?? 0);
  return { file, bytes, files: blobs.length - missing.length, database, missing };
}

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size;

async function targetOf({ target, portable, force, now }: BackupOptions): Promise<string> {
  const path = resolve(target);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const file = isFolder ? join(path, `playtest-${portable ? "export-" : ""}${stamp}.tar`) : path;
  if (!existsSync(dirname(file))) throw new SettingRefused(`There is no folder ${dirname(file)}. Nothing was written.`);
  if (existsSync(file) && !force)
    throw Object.assign(new SettingRefused(`${file} is there already; it was not changed. Replace it with --force.`), {
      exitCode: 6,
    });
  return file;
}

function explained(error: unknown, file: string): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new Error(`There is no room for ${file}. Nothing was kept of it. Free some, or name a place on another disk.`, {
    cause: error,
  });
}

interface Source extends BackupOptions {
  place: Place;
  /** Where the copy of the database may lie meanwhile. */
  scratch: string;
}

/** One archive while it is written. */
class Packing {
  readonly missing: string[] = [];
  database: Manifest["database"] = "rows";
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
    const { dataDir } = this.#source.place;
    await this.#addText(names.key, `${key.toString("hex")}\n`);
    const config = await readFile(join(dataDir, names.config)).catch(unlessMissing);
    if (config) await this.#addText(names.config, config);
    await this.#addFiles((await blobsNow(this.#source.place)).map((blob) => `blobs/${blob}`));
    const mails = (await readdir(join(dataDir, "outbox")).catch(unlessMissing)) ?? [];
    await this.#addFiles(mails.filter((name) => name.endsWith(".eml")).map((name) => `outbox/${name}`));
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
      .map((name) => ({ name, size: sizeOf(join(this.#source.place.dataDir, name)) }));
    for (const { size } of sizes) this.#total += size ?? 0;
    const lost: string[] = [];
    for (const { name } of sizes) if (!(await this.#addFile(name, join(this.#source.place.dataDir, name)))) lost.push(name);
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
      this.#source.tell("Copying", this.#done, this.#total);
    }
  }

  async #addText(name: string, text: string | Buffer): Promise<void> {
    const bytes = Buffer.from(text);
    this.#sums.set(name, await this.#tar.add(name, bytes.length, [bytes]));
  }

  async #addDatabase(captured: Captured): Promise<void> {
    this.database = captured.database;
    this.#total += statSync(this.#source.scratch).size;
    await this.#addFile(captured.database === "sqlite" ? names.sqlite : names.rows, this.#source.scratch);
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

/** Asked in a moment: a transaction that stayed open would keep a server's write-ahead log from being used again. */
async function blobsNow(place: Place): Promise<string[]> {
  const { query, close } = await openSnapshot(place);
  return referencedBlobs(query).finally(close);
}

const unlessMissing = (error: unknown): undefined => {
  if (isMissing(error)) return undefined;
  throw error;
};
