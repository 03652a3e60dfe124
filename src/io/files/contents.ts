import { createReadStream } from "node:fs";
import { crc32 } from "node:zlib";
import { sha256 } from "../../contract/hash/sha256.ts";
import { headBytes } from "./kinds.ts";
import type { TreeFile, TreeItem } from "./tree.ts";

/** Called with the number of bytes processed. Throwing aborts the work. */
export type OnBytes = (count: number) => void;

/** What a file held when it was read. */
export interface Contents {
  sha256: string;
  crc32: number;
  size: number;
  /** How it begins. */
  head: Buffer;
}

/** The bytes of a file, in blocks. */
export const blocksOf = (file: string) => createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>;

/** Reads a file. `look` gets all of it, block by block. */
export async function readContents(file: string, onBytes: OnBytes, look = (_block: Buffer): void => {}): Promise<Contents> {
  const hash = sha256();
  let [size, check, head] = [0, 0, Buffer.alloc(0)];
  for await (const block of blocksOf(file)) {
    if (size === 0) head = Buffer.from(block.subarray(0, headBytes));
    hash.update(block);
    check = crc32(block, check);
    look(block);
    size += block.length;
    onBytes(block.length);
  }
  return { sha256: hash.digest("hex"), crc32: check, size, head };
}

/** A file of a build that was read. */
export type ReadFile = TreeFile & Omit<Contents, "head">;
export type BuildItem = ReadFile | Exclude<TreeItem, TreeFile>;

/** Hash of what a build is made of: paths, contents, executable bits, links and empty folders. The same on every machine. */
export function hashItems(items: readonly BuildItem[]): string {
  const hash = sha256();
  for (const item of items) hash.update(`${described(item)} ${item.path}\0`);
  return hash.digest("hex");
}

function described(item: BuildItem): string {
  if (item.kind === "file") return `${item.executable ? "755" : "644"} ${item.sha256}`;
  return item.kind === "link" ? `link ${sha256().update(item.target).digest("hex")}` : "folder";
}
