/** Reads how long a video is from the header of its container, without the rest of the file. */

/** Bytes of the file from `offset`; fewer at its end. */
export type ReadBytes = (offset: number, length: number) => Promise<Buffer>;

const headBytes = 65_536;
/** Boxes at the top level of a file that anybody would write. */
const mostBoxes = 64;

/** Seconds; undefined: the container is neither MP4, QuickTime, WebM nor Matroska, or does not say. */
export async function videoSeconds(read: ReadBytes): Promise<number | undefined> {
  const head = await read(0, headBytes);
  const seconds = head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3 ? matroskaSeconds(head) : await mp4Seconds(read, head);
  return seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

interface Box {
  type: string;
  /** Bytes, with the header. */
  size: number;
  header: number;
}

/** The header of the MP4 box that begins a buffer; undefined if it is none. A size of 0 reaches to the end of the file. */
function boxIn(bytes: Buffer): Box | undefined {
  if (bytes.length < 16) return undefined;
  const size = bytes.readUInt32BE(0);
  const type = bytes.toString("latin1", 4, 8);
  if (size === 0) return { type, size: Number.MAX_SAFE_INTEGER, header: 8 };
  return size === 1 ? { type, size: Number(bytes.readBigUInt64BE(8)), header: 16 } : { type, size, header: 8 };
}

/** The box `moov` is at the beginning of the file or behind the pictures; its first box `mvhd` holds the length. */
async function mp4Seconds(read: ReadBytes, head: Buffer): Promise<number | undefined> {
  let offset = 0;
  for (let count = 0; count < mostBoxes; count++) {
    const bytes = offset + 16 <= head.length ? head.subarray(offset) : await read(offset, headBytes);
    const box = boxIn(bytes);
    if (box === undefined || box.size < box.header || (count === 0 && box.type !== "ftyp" && box.type !== "moov"))
      return undefined;
    if (box.type === "moov") return movieHeaderSeconds(bytes.subarray(box.header, box.size));
    offset += box.size;
    if (!Number.isSafeInteger(offset)) return undefined;
  }
  return undefined;
}

function movieHeaderSeconds(moov: Buffer): number | undefined {
  for (let offset = 0; offset < moov.length; ) {
    const box = boxIn(moov.subarray(offset));
    if (box === undefined || box.size < box.header) return undefined;
    const at = offset + box.header;
    if (box.type !== "mvhd") {
      offset += box.size;
      continue;
    }
    const long = moov[at] === 1;
    if (moov.length < at + (long ? 32 : 20)) return undefined;
    const scale = moov.readUInt32BE(at + (long ? 20 : 12));
    return (long ? Number(moov.readBigUInt64BE(at + 24)) : moov.readUInt32BE(at + 16)) / scale;
  }
  return undefined;
}

const element = { segment: 0x18538067, info: 0x1549a966, scale: 0x2ad7b1, duration: 0x4489 } as const;

/** A number of EBML, whose first byte says by its leading zeros how many bytes it has. `keep`: with the bit that says so, as in ids. */
function variable(bytes: Buffer, at: number, keep: boolean): { value: number; length: number } | undefined {
  const first = bytes[at];
  if (first === undefined || first === 0) return undefined;
  const length = Math.clz32(first) - 23;
  if (at + length > bytes.length) return undefined;
  let value = keep ? first : first & (0xff >> length);
  for (let i = 1; i < length; i++) value = value * 256 + bytes[at + i]!;
  return { value, length };
}

/** The length is in the segment's element Info, which precedes the pictures. */
function matroskaSeconds(head: Buffer): number | undefined {
  let scale = 1_000_000;
  let duration: number | undefined;
  for (let at = 0; at < head.length; ) {
    const id = variable(head, at, true);
    const size = id && variable(head, at + id.length, false);
    if (!id || !size) break;
    const from = at + id.length + size.length;
    const inside = id.value === element.segment || id.value === element.info;
    if (!inside && from + size.value > head.length) break;
    if (id.value === element.scale) scale = head.readUIntBE(from, Math.min(6, size.value));
    if (id.value === element.duration) duration = size.value === 4 ? head.readFloatBE(from) : head.readDoubleBE(from);
    at = inside ? from : from + size.value;
  }
  return duration === undefined ? undefined : (duration * scale) / 1e9;
}
