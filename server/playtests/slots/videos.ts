/** How many first bytes tell what a file is. */
export const signatureBytes = 64;

const notVideo = /^(heic|heix|hev.|heim|heis|mif1|msf1|avif|avis|M4A |M4B |M4P |crx |jp2 |jpx |jpm )/;
const oldQuickTime = new Set(["moov", "mdat", "wide", "free", "skip", "pnot"]);
const ebml = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);
const docType = Buffer.from([0x42, 0x82]);

/** The media type by signature (MP4, WebM, MOV, MKV), whatever the name says; undefined for anything else. */
export function videoType(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, signatureBytes));
  if (bytes.subarray(0, 4).equals(ebml)) return matroskaType(bytes);
  const [box, brand] = [bytes.toString("latin1", 4, 8), bytes.toString("latin1", 8, 12)];
  if (oldQuickTime.has(box)) return "video/quicktime";
  if (box !== "ftyp" || brand.length < 4 || notVideo.test(brand)) return undefined;
  return brand === "qt  " ? "video/quicktime" : "video/mp4";
}

/** The DocType element of the EBML header: its id, a one-byte length, the text. */
function matroskaType(bytes: Buffer): string | undefined {
  const at = bytes.indexOf(docType);
  if (at < 0) return undefined;
  const text = bytes.toString("latin1", at + 3, at + 3 + (bytes[at + 2]! & 0x7f));
  return { webm: "video/webm", matroska: "video/x-matroska" }[text.replace(/\0+$/, "")];
}
