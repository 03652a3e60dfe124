import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/** A regular file inside a tar archive: `size` bytes starting at `position`. */
export interface Entry {
  name: string;
  size: number;
  position: number;
}

const block = 512;
const chunkBytes = 1024 * 1024;
const largestOctal = 8 ** 11 - 1;

const padding = (size: number) => (block - (size % block)) % block;
const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");

/** The checksum of a header: the sum of its bytes, with the checksum field counted as spaces. */
const sumOf = (header: Buffer) => header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);

/** Sizes beyond 8 GiB are binary, as GNU tar writes them and every tar reads them. */
function headerOf(name: string, size: number, mtimeMs: number): Buffer {
  const header = Buffer.alloc(block);
  header.write(name, 0, 100, "latin1");
  header.write("0000600\x000000000\x000000000\x00", 100, "latin1");
  if (size <= largestOctal) header.write(octal(size, 11), 124, "latin1");
  else header.writeBigUInt64BE(BigInt(size), header.writeUInt8(0x80, 124) + 3);
  header.write(octal(Math.floor(mtimeMs / 1000), 11), 136, "latin1");
  header.write("0", 156, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  header.write(`${octal(sumOf(header), 6)}\x00 `, 148, "latin1");
  return header;
}

const isText = (header: Buffer, at: number, text: string) => header.toString("latin1", at, at + text.length) === text;

/** Undefined when this is not the header of a regular file. */
function parseHeader(header: Buffer): Omit<Entry, "position"> | undefined {
  const sum = Number.parseInt(header.toString("latin1", 148, 156), 8);
  if (!isText(header, 257, "ustar\x00") || !isText(header, 156, "0") || sum !== sumOf(header)) return undefined;
  const end = header.indexOf(0);
  const size =
    header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(header.toString("latin1", 124, 135), 8);
  return Number.isSafeInteger(size) && size >= 0 ? { name: header.toString("latin1", 0, Math.min(end, 100)), size } : undefined;
}

/** Reads `size` bytes from `position`, piece by piece in one buffer: each piece is valid only until the next one. */
export async function* pieces(file: FileHandle, size: number, position = 0): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(Math.min(size, chunkBytes));
  for (let done = 0; done < size; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - done), position + done);
    if (bytesRead === 0) throw new Error(`The file ended ${size - done} bytes too early.`);
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** What the bytes of a tar archive go to, one after the other: a file, or standard output. */
export type TarOutput = Pick<FileHandle, "sync"> & { writeFile(bytes: Uint8Array): Promise<void> };

/** Writes files into a tar archive that any `tar` can read. */
export class TarWriter {
  readonly #file: TarOutput;
  readonly #mtimeMs: number;

  constructor(file: TarOutput, mtimeMs: number) {
    this.#file = file;
    this.#mtimeMs = mtimeMs;
  }

  /** Adds a file of exactly `size` bytes and returns its SHA-256 in hex. */
  async add(name: string, size: number, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
    const hash = createHash("sha256");
    await this.#file.writeFile(headerOf(name, size, this.#mtimeMs));
    for await (const piece of bytes) {
      hash.update(piece);
      await this.#file.writeFile(piece);
    }
    await this.#file.writeFile(Buffer.alloc(padding(size)));
    return hash.digest("hex");
  }

  /** Ends the archive and waits until it is on the disk. */
  async end(): Promise<void> {
    await this.#file.writeFile(Buffer.alloc(2 * block));
    await this.#file.sync();
  }
}

/** The files of an archive of `size` bytes, in order. Throws when an entry is not a complete regular file, or when the end is missing. */
export async function readIndex(file: FileHandle, size: number): Promise<Entry[]> {
  const entries: Entry[] = [];
  const header = Buffer.alloc(block);
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(header, 0, block, at);
    if (bytesRead < block) throw new Error("it ends too early: it was not written or copied completely");
    if (header.every((byte) => byte === 0)) return entries;
    const found = parseHeader(header);
    if (!found) throw new Error(`the data at byte ${at} is not a file of a playtest archive`);
    const entry = { ...found, position: at + block };
    if (entry.position + entry.size > size)
      throw new Error(`it ends within ${entry.name}: it was not written or copied completely`);
    entries.push(entry);
    at = entry.position + entry.size + padding(entry.size);
  }
}
