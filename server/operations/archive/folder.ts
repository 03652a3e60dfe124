import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { link, mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { flush, isMissing } from "../../uploads/local-blobs.ts";
import { names, parseSums } from "./contents.ts";
import type { Target } from "./write.ts";

/** An earlier backup in the same folder, whose files can be shared. */
export interface Earlier {
  folder: string;
  /** The SHA-256 of each file. */
  sums: ReadonlyMap<string, string>;
}

const dated = /^playtest-\d{8}T\d{6}Z$/;

/** The newest backup in a folder that has a readable list of its files; undefined when there is none. */
export async function newestIn(parent: string): Promise<Earlier | undefined> {
  for (const name of readdirSync(parent)
    .filter((name) => dated.test(name))
    .sort()
    .reverse()) {
    const folder = join(parent, name);
    const text = await readFile(join(folder, names.sums), "utf8").catch(() => undefined);
    const sums = text === undefined ? undefined : parseSums(text);
    if (sums) return { folder, sums };
  }
  return undefined;
}

/** Files that a server stores under a new name each time, so that those of one name are the same. */
export const neverChanges = (name: string) => /^(blobs|outbox)\//.test(name);

/** Whether an earlier backup has this file in full. */
export const hasFile = (earlier: Earlier, name: string, size: number | undefined) =>
  neverChanges(name) && earlier.sums.has(name) && statSync(join(earlier.folder, name), { throwIfNoEntry: false })?.size === size;

/** Writes the files of a backup into a folder. Those that an earlier backup has are the same files, under a second name (hard links). */
export class FolderWriter implements Target {
  /** Why files could not be shared; undefined where they could, or none had to be. */
  unshared: string | undefined;
  readonly #folder: string;
  readonly #earlier: Earlier | undefined;
  readonly #made = new Set<string>();

  constructor(folder: string, earlier: Earlier | undefined) {
    this.#folder = folder;
    this.#earlier = earlier;
  }

  async add(name: string, _size: number, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
    const hash = createHash("sha256");
    const file = await open(await this.#pathOf(name), "wx", 0o600);
    try {
      for await (const piece of bytes) {
        hash.update(piece);
        await file.writeFile(piece);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    return hash.digest("hex");
  }

  async reuse(name: string, size: number): Promise<string | undefined> {
    if (!this.#earlier || this.unshared !== undefined || !hasFile(this.#earlier, name, size)) return undefined;
    try {
      await link(join(this.#earlier.folder, name), await this.#pathOf(name));
    } catch (error) {
      // Another backup may have removed the earlier one meanwhile; and a file can have only so many names.
      if (isMissing(error) || (error as NodeJS.ErrnoException).code === "EMLINK") return undefined;
      this.unshared = (error as Error).message;
      return undefined;
    }
    return this.#earlier.sums.get(name);
  }

  async end(): Promise<void> {
    // The names of files are durable only after their folders were flushed.
    for (const folder of [...this.#made, this.#folder]) await flush(folder);
  }

  async #pathOf(name: string): Promise<string> {
    const path = join(this.#folder, name);
    const folder = dirname(path);
    if (folder !== this.#folder && !this.#made.has(folder)) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      this.#made.add(folder).add(dirname(folder));
    }
    return path;
  }
}
