import { inflateRawSync, constants as zlib } from "node:zlib";
import { decoded } from "./decode.ts";
import { headBytes } from "./kinds.ts";

/** One file, link or folder inside an archive. */
export interface ZipEntry {
  /** As it is unpacked: without the `./` that some programs put before all names. A folder's ends with a slash. */
  path: string;
  /** Whether the name is the same for every program that unpacks: of ASCII, or marked as UTF-8. */
  clearName: boolean;
  /** Bytes, unpacked. */
  size: number;
  crc32: number;
  /** Type and permissions as on Unix; undefined where the archive was made on a system that has none. */
  mode: number | undefined;
  /** Where its record in the index is, in bytes from the start of the file. */
  record: number;
  /** Where its data is, behind a header. */
  header: number;
  packedSize: number;
  /** 0: as it is; 8: deflated. Nothing else is read. */
  method: number;
  encrypted: boolean;
}

export const isFolder = ({ path }: Pick<ZipEntry, "path">) => path.endsWith("/");
export const isLink = ({ mode = 0 }: Pick<ZipEntry, "mode">) => (mode & 0o170000) === 0o120000;
export const isExecutable = ({ mode = 0 }: Pick<ZipEntry, "mode">) => !isLink({ mode }) && (mode & 0o111) !== 0;

/** Reads `length` bytes from `start`; fewer at the end. */
export type ReadAt = (start: number, length: number) => Promise<Buffer>;

/** Enough to unpack a head of most files; little that is packed can be much, and is unpacked whole. */
const packedHead = 2 ** 13;
const endSize = 22;
const longestComment = 65_535;
const full = 0xffffffff;
const unix = [3, 19];

/** What is in the central directory of a zip archive. Undefined if it is not a zip archive. */
export async function readZipIndex(size: number, readAt: ReadAt): Promise<ZipEntry[] | undefined> {
  const tailStart = Math.max(0, size - endSize - longestComment);
  const tail = await readAt(tailStart, size - tailStart);
  const end = tail.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0 || end + endSize > tail.length) return undefined;
  let [length, start] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (length === full || start === full) {
    const locator = tail.lastIndexOf(Buffer.from("PK\x06\x07", "latin1"));
    if (locator < 0) return undefined;
    const record = await readAt(Number(tail.readBigUInt64LE(locator + 8)), 56);
    [length, start] = [Number(record.readBigUInt64LE(40)), Number(record.readBigUInt64LE(48))];
  }
  return parseDirectory(await readAt(start, length), start);
}

function parseDirectory(directory: Buffer, start: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === 0x02014b50; ) {
    const [nameLength = 0, extraLength = 0, commentLength = 0] = [28, 30, 32].map((offset) =>
      directory.readUInt16LE(at + offset),
    );
    const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    const entry = { ...parseRecord(directory, at, nameLength, extra), record: start + at };
    // The folder itself, which some programs name.
    if (entry.path !== "") entries.push(entry);
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}

function parseRecord(directory: Buffer, at: number, nameLength: number, extra: Buffer): Omit<ZipEntry, "record"> {
  const name = directory.subarray(at + 46, at + 46 + nameLength);
  const wide = wideNumbers(extra);
  const [size, packedSize, header] = [24, 20, 42].map((offset) => {
    const short = directory.readUInt32LE(at + offset);
    return short === full ? (wide.shift() ?? short) : short;
  }) as [number, number, number];
  const mode = directory.readUInt16LE(at + 40);
  const flags = directory.readUInt16LE(at + 8);
  return {
    clearName: (flags & 0x800) !== 0 || name.every((byte) => byte < 0x80),
    path: (decoded(name) ?? name.toString("latin1")).replace(/^(\.\/+)+/, ""),
    size,
    packedSize,
    header,
    crc32: directory.readUInt32LE(at + 16),
    mode: unix.includes(directory[at + 5]!) && mode !== 0 ? mode : undefined,
    method: directory.readUInt16LE(at + 10),
    encrypted: (flags & 1) === 1,
  };
}

/** The numbers that do not fit in 32 bits, in the order of the fields that lack them. */
function wideNumbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    const count = Math.floor(Math.min(extra.readUInt16LE(at + 2), extra.length - at - 4) / 8);
    return Array.from({ length: count }, (_, i) => Number(extra.readBigUInt64LE(at + 4 + 8 * i)));
  }
  return [];
}

/** How a file in an archive begins; undefined if it cannot be read: encrypted, or packed in another way. */
export async function headOf(entry: ZipEntry, readAt: ReadAt): Promise<Buffer | undefined> {
  if (entry.encrypted || (entry.method !== 0 && entry.method !== 8)) return undefined;
  const header = await readAt(entry.header, 30);
  if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50) return undefined;
  const start = entry.header + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = await readAt(start, Math.min(entry.packedSize, entry.method === 0 ? headBytes : packedHead));
  if (entry.method === 0) return packed;
  try {
    return inflateRawSync(packed, { finishFlush: zlib.Z_SYNC_FLUSH }).subarray(0, headBytes);
  } catch {
    return undefined;
  }
}
