/** Media types of what people watch and read, and the only extensions that their files get, on the server and when saved. */

const extensions = {
  "video/mp4": ".mp4",
  "video/webm": ".webm",
  "video/quicktime": ".mov",
  "video/x-matroska": ".mkv",
  "text/vtt": ".vtt",
  "text/plain": ".txt",
  "application/pdf": ".pdf",
  "image/jpeg": ".jpg",
} as const;
type KnownType = keyof typeof extensions;
export const videoExtensions = [".mp4", ".webm", ".mov", ".mkv"];

/** The extension for a media type, with or without parameters; undefined for a type that is none of these. */
export function extensionOf(mediaType: string): string | undefined {
  const plain = mediaType.split(";")[0]!.trim().toLowerCase();
  return Object.hasOwn(extensions, plain) ? extensions[plain as KnownType] : undefined;
}

/**
 * A name that somebody gave a file, with the extension of its media type in the place of any other: what is saved under it opens in a
 * player, and never as a program. Names of other types stay as they are.
 */
export function safeName(filename: string, mediaType: string): string {
  const extension = extensionOf(mediaType);
  if (extension === undefined || filename.toLowerCase().endsWith(extension)) return filename;
  return filename.replace(/[. ]*(\.\w{1,10})?[. ]*$/, "") + extension;
}

/** How many bytes at the start of a file identify its type. */
export const signatureBytes = 64;

const notVideo = /^(heic|heix|hev.|heim|heis|mif1|msf1|avif|avis|M4A |M4B |M4P |crx |jp2 |jpx |jpm )/;
const oldQuickTime = new Set(["moov", "mdat", "wide", "free", "skip", "pnot"]);
const ebml = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);
const docType = Buffer.from([0x42, 0x82]);

/** The media type by signature (MP4, WebM, MOV, MKV), independent of the file name. Undefined for any other file. */
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
