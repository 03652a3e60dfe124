import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { ReadEntry } from "tar/read-entry";
import { blocksOf, type OnBytes } from "./contents.ts";
import { headBytes } from "./kinds.ts";

/** One file, link or folder inside a tar archive. */
export interface TarEntry {
  /** With slashes, without a `./` in front and without a slash behind. */
  path: string;
  /** `other`: a device and the like. */
  kind: "file" | "link" | "folder" | "other";
  /** Where a link leads; of a second name of a file, as seen from the top of the archive. */
  target: string | undefined;
  /** Whether the target is another file of the archive, of which this is a second name. */
  hard: boolean;
  executable: boolean;
  /** How a file begins. */
  head: Buffer;
}

/** How much of an archive is looked at: what is packed small and unpacks to very much must not keep the user waiting. */
export interface Bounds {
  /** Bytes, unpacked. */
  bytes: number;
  entries: number;
}

/** A hundred times the size is more than any game packs to, but for small archives of empty files. */
export const boundsOf = (size: number): Bounds => ({ bytes: Math.max(2 ** 31, 100 * size), entries: 500_000 });

/** What kept an archive from being looked at as a whole. `damaged`: nobody can unpack it whole. */
export interface Shortfall {
  damaged: boolean;
  /** As a sentence without its end. */
  why: string;
}

const isGzip = (start: Buffer) => start[0] === 0x1f && start[1] === 0x8b;

async function startOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const kinds: Readonly<Record<string, TarEntry["kind"]>> = {
  ...{ File: "file", OldFile: "file", ContiguousFile: "file", Link: "file" },
  ...{ SymbolicLink: "link", Directory: "folder", GNUDumpDir: "folder" },
};

/** The path without what says nothing; an absolute one stays absolute. */
const plain = (path: string) =>
  path
    .replace(/\/+/g, "/")
    .replace(/^(\.\/)+/, "")
    .replace(/(?<=.)\/$/, "");

const toEntry = ({ path, type, linkpath, mode = 0 }: ReadEntry, head: Buffer): TarEntry => ({
  path: plain(path),
  kind: kinds[type] ?? "other",
  target: linkpath,
  hard: type === "Link",
  executable: (mode & 0o111) !== 0,
  head,
});

/** Calls `use` with an entry when all of it was read. */
function readEntry(entry: ReadEntry, use: (entry: TarEntry) => void): void {
  const blocks: Buffer[] = [];
  let wanted = headBytes;
  entry.on("data", (block: Buffer) => {
    if (wanted <= 0) return;
    // A copy: the rest of a block is not kept.
    blocks.push(Buffer.from(block.subarray(0, wanted)));
    wanted -= block.length;
  });
  entry.on("end", () => use(toEntry(entry, Buffer.concat(blocks))));
  entry.resume();
}

/** The bytes of a tar archive, as they are unpacked. */
async function tarBytes(file: string, onBytes: OnBytes): Promise<AsyncIterable<Buffer>> {
  async function* packed() {
    for await (const block of blocksOf(file)) {
      onBytes(block.length);
      yield block;
    }
  }
  // An error of either part ends the loop over the bytes, so that nothing is left to do about it here.
  return isGzip(await startOf(file)) ? pipeline(packed, createGunzip({ chunkSize: 2 ** 16 }), () => {}) : packed();
}

/**
 * Calls `use` with everything in a tar archive, packed by gzip or not, one after the other. Reads it as a stream, up to the bounds.
 * Returns what kept it from being looked at as a whole.
 */
export async function readTar(
  file: string,
  bounds: Bounds,
  onBytes: OnBytes,
  use: (entry: TarEntry) => void,
): Promise<Shortfall | undefined> {
  const { Parser } = await import("tar/parse");
  let shortfall: Shortfall | undefined;
  const fall = (why: string, damaged = false) => {
    if (!shortfall || (damaged && !shortfall.damaged)) shortfall = { damaged, why };
    return shortfall;
  };
  let [bytes, entries, ended] = [0, 0, false];
  const parser = new Parser({ zstd: false, brotli: false, onReadEntry: (entry) => readEntry(entry, use) });
  parser.on("entry", () => entries++);
  parser.on("warn", (code: string, what: string) => fall(what, code === "TAR_BAD_ARCHIVE"));
  parser.on("ignoredEntry", ({ path }: ReadEntry) => fall(`${path} is of an unusual kind`));
  // What is behind the end is no part of the archive, and the parser would keep all of it in memory.
  parser.on("eof", () => {
    ended = true;
  });
  try {
    for await (const block of await tarBytes(file, onBytes)) {
      if (bytes === 0 && isGzip(block)) return fall("it is compressed twice");
      parser.write(block);
      bytes += block.length;
      if (ended) return shortfall;
      if (bytes > bounds.bytes || entries > bounds.entries) return fall("it unpacks to far more than its size");
    }
    parser.end();
    return shortfall;
  } catch (error) {
    if (isDamage(error)) return fall(error.message, true);
    throw error;
  }
}

/** Whether gzip found that what it unpacks is not whole. */
const isDamage = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
