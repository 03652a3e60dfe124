export interface PictureSize {
  width: number;
  height: number;
}

/** How many bytes at the beginning of a picture are enough to find its size in nearly all. */
export const jpegHeadBytes = 128 * 1024;

const [startOfImage, fill, startOfScan, endOfImage] = [0xffd8, 0xff, 0xda, 0xd9];
/** Markers that nothing belongs to. */
const isBare = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
/** `SOF0` to `SOF15`; three numbers among them mean something else. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/**
 * The size of a picture (pixels) from the first bytes of its JPEG. Undefined for bytes that do not say it: of another format, cut off, or with
 * more metadata than was read. Thumbnails are inside of other segments, which are skipped.
 */
export function jpegSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== startOfImage) return undefined;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === fill; ) {
    const marker = bytes[at + 1]!;
    if (marker === fill) at += 1;
    else if (isBare(marker)) at += 2;
    else if (isFrame(marker)) return at + 9 <= bytes.length ? sizeAt(bytes, at + 5) : undefined;
    else if (marker === startOfScan || marker === endOfImage) return undefined;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Some files say their height only after their first scan, and 0 here. */
function sizeAt(bytes: Buffer, at: number): PictureSize | undefined {
  const [height, width] = [bytes.readUInt16BE(at), bytes.readUInt16BE(at + 2)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}
