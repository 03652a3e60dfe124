import { inflateRawSync, constants as zlib } from "node:zlib";
import type { ReadAt, ZipEntry } from "../../contract/files/zip-index.ts";
import { headBytes } from "./kinds.ts";

/** Enough to unpack a head of most files; little that is packed can be much, and is unpacked whole. */
const packedHead = 2 ** 13;

/** How a file in an archive begins; undefined if it cannot be read: encrypted, or packed in another way. */
export async function headOf(entry: ZipEntry, readAt: ReadAt<Buffer>): Promise<Buffer | undefined> {
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
