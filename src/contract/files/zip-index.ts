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
export type ReadAt<Bytes extends Uint8Array = Uint8Array> = (start: number, length: number) => Promise<Bytes>;

const endSize = 22;
const longestComment = 65_535;
const full = 0xffffffff;
const unix = [3, 19];

/** Where a signature is for the last time; -1 for nowhere. */
function lastOf(bytes: Uint8Array, signature: number): number {
  const view = viewOf(bytes);
  for (let at = bytes.length - 4; at >= 0; at--) if (view.getUint32(at, true) === signature) return at;
  return -1;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const [endOfDirectory, locatorOf64, directoryRecord] = [0x06054b50, 0x07064b50, 0x02014b50];

/** What is in the central directory of a zip archive. Undefined if it is not a zip archive. */
export async function readZipIndex(size: number, readAt: ReadAt): Promise<ZipEntry[] | undefined> {
  const tailStart = Math.max(0, size - endSize - longestComment);
  const tail = await readAt(tailStart, size - tailStart);
  const end = lastOf(tail, endOfDirectory);
  if (end < 0 || end + endSize > tail.length) return undefined;
  const ending = viewOf(tail);
  let [length, start] = [ending.getUint32(end + 12, true), ending.getUint32(end + 16, true)];
  if (length === full || start === full) {
    const locator = lastOf(tail, locatorOf64);
    if (locator < 0) return undefined;
    const record = viewOf(await readAt(Number(ending.getBigUint64(locator + 8, true)), 56));
    [length, start] = [Number(record.getBigUint64(40, true)), Number(record.getBigUint64(48, true))];
  }
  return parseDirectory(await readAt(start, length), start);
}

function parseDirectory(directory: Uint8Array, start: number): ZipEntry[] {
  const view = viewOf(directory);
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length && view.getUint32(at, true) === directoryRecord; ) {
    const [nameLength = 0, extraLength = 0, commentLength = 0] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    const entry = { ...parseRecord(directory, at, nameLength, extra), record: start + at };
    // The folder itself, which some programs name.
    if (entry.path !== "") entries.push(entry);
    at += 46 + nameLength + extraLength + commentLength;
  }
  return entries;
}

function nameOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return String.fromCharCode(...bytes);
  }
}

function parseRecord(directory: Uint8Array, at: number, nameLength: number, extra: Uint8Array): Omit<ZipEntry, "record"> {
  const view = viewOf(directory);
  const name = directory.subarray(at + 46, at + 46 + nameLength);
  const wide = wideNumbers(extra);
  const [size, packedSize, header] = [24, 20, 42].map((offset) => {
    const short = view.getUint32(at + offset, true);
    return short === full ? (wide.shift() ?? short) : short;
  }) as [number, number, number];
  const mode = view.getUint16(at + 40, true);
  const flags = view.getUint16(at + 8, true);
  return {
    clearName: (flags & 0x800) !== 0 || name.every((byte) => byte < 0x80),
    path: nameOf(name).replace(/^(\.\/+)+/, ""),
    size,
    packedSize,
    header,
    crc32: view.getUint32(at + 16, true),
    mode: unix.includes(directory[at + 5]!) && mode !== 0 ? mode : undefined,
    method: view.getUint16(at + 10, true),
    encrypted: (flags & 1) === 1,
  };
}

/** The numbers that do not fit in 32 bits, in the order of the fields that lack them. */
function wideNumbers(extra: Uint8Array): number[] {
  const view = viewOf(extra);
  for (let at = 0; at + 4 <= extra.length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    const count = Math.floor(Math.min(view.getUint16(at + 2, true), extra.length - at - 4) / 8);
    return Array.from({ length: count }, (_, i) => Number(view.getBigUint64(at + 4 + 8 * i, true)));
  }
  return [];
}
