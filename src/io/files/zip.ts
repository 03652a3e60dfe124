import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { failure } from "../../errors.ts";
import { sha256 } from "../hash.ts";
import type { OnBytes, TreeFile } from "./tree.ts";

/** One file inside an archive. */
export interface ZipEntry {
  path: string;
  size: number;
  crc32: number;
}

/**
 * Writes a reproducible zip archive: the same files give the same bytes, at any time and on any machine. Returns its SHA-256 and its
 * size in bytes.
 */
export async function writeZip(files: readonly TreeFile[], target: string, signal: AbortSignal, onBytes: OnBytes) {
  const { ZipFile } = await import("yazl");
  const zip = new ZipFile();
  const failed = new Promise<never>((_, reject) => zip.on("error", reject));
  // The DOS timestamp has no time zone, so local midnight gives the same bytes everywhere.
  const mtime = new Date(1980, 0, 1);
  for (const { path, file, executable } of files)
    zip.addFile(file, path, { mtime, mode: executable ? 0o100755 : 0o100644, forceDosTimestamp: true, compressionLevel: 6 });
  zip.end();
  const hash = sha256();
  let size = 0;
  async function* hashed() {
    for await (const chunk of zip.outputStream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
      onBytes(chunk.length);
      yield chunk;
    }
  }
  const output = createWriteStream(target, { mode: 0o600 });
  await Promise.race([pipeline(hashed(), output, { signal }), failed]).catch((error: Error) => {
    throw signal.aborted ? signal.reason : failure(`Cannot zip the directory: ${error.message}.`, undefined, error);
  });
  return { sha256: hash.digest("hex"), size };
}

/** Reads `length` bytes from `start`. */
export type ReadAt = (start: number, length: number) => Promise<Buffer>;

const endSize = 22;
const longestComment = 65_535;
const fullSize = 0xffffffff;

/** The files in the central directory of a zip archive. Undefined if it is not a zip archive. */
export async function readZipIndex(size: number, readAt: ReadAt): Promise<ZipEntry[] | undefined> {
  const tailStart = Math.max(0, size - endSize - longestComment);
  const tail = await readAt(tailStart, size - tailStart);
  const end = tail.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0 || end + endSize > tail.length) return undefined;
  let [length, start] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (length === fullSize || start === fullSize) {
    const locator = tail.lastIndexOf(Buffer.from("PK\x06\x07", "latin1"));
    if (locator < 0) return undefined;
    const record = await readAt(Number(tail.readBigUInt64LE(locator + 8)), 56);
    [length, start] = [Number(record.readBigUInt64LE(40)), Number(record.readBigUInt64LE(48))];
  }
  return parseDirectory(await readAt(start, length));
}

function parseDirectory(directory: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === 0x02014b50; ) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => directory.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const path = directory.toString("utf8", at + 46, at + 46 + nameLength);
    if (!path.endsWith("/"))
      entries.push({ path, size: directory.readUInt32LE(at + 24), crc32: directory.readUInt32LE(at + 16) });
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}
