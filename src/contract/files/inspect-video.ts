import type * as mediabunny from "mediabunny";
import type { Input, InputTrack, InputVideoTrack } from "mediabunny";
import { secondsInMs } from "../text/position.ts";

/**
 * What a video file is made of, and why nobody could watch it. The command, a thread of the server and the page that uploads videos all run
 * this. Whoever calls it hands over the library that reads containers, because each loads it at another time.
 */
export type Library = Pick<
  typeof mediabunny,
  "CustomSource" | "EncodedPacketSink" | "Input" | "Logging" | "MATROSKA" | "MP4" | "QTFF" | "WEBM"
>;

export type VideoType = "video/mp4" | "video/quicktime" | "video/webm" | "video/x-matroska";
/** Why nobody could watch a file. */
export type VideoFault = "not-video" | "unfinished" | "no-picture" | "encrypted";

export interface VideoTrack {
  kind: "video" | "audio";
  /** As the library names it, such as `avc`; null when it is not known. */
  codec: string | null;
  /** The codec with its profile, such as `avc1.64001f`. */
  profile: string | null;
  /** In pixels, as shown; null for sound. */
  width: number | null;
  height: number | null;
}

/** What a video file is made of. */
export interface VideoFacts {
  /** Null for a file that is no video. */
  type: VideoType | null;
  tracks: VideoTrack[];
  /** Null when it is not known. */
  durationMs: number | null;
  fault: VideoFault | null;
}

/** A file whose parts can be read: from `start` up to `end`, which is not included. Fewer bytes at its end. */
export interface VideoFile {
  size: number;
  read(start: number, end: number): Uint8Array | Promise<Uint8Array>;
}

/** What reading a file may cost. */
export interface Bounds {
  reads: number;
  bytes: number;
}

/** How many bytes at the start of a file identify its type. */
export const signatureBytes = 64;

const notVideo = /^(heic|heix|hev.|heim|heis|mif1|msf1|avif|avis|M4A |M4B |M4P |crx |jp2 |jpx |jpm )/;
const oldQuickTime = new Set(["moov", "mdat", "wide", "free", "skip", "pnot"]);
const ebml = "\x1a\x45\xdf\xa3";
const docTypes: Readonly<Record<string, VideoType>> = { webm: "video/webm", matroska: "video/x-matroska" };

const latin1 = (bytes: Uint8Array, from = 0, to = bytes.length) => String.fromCharCode(...bytes.subarray(from, to));

/** The media type by signature (MP4, WebM, MOV, MKV), independent of the file name. Undefined for any other file. */
export function videoType(head: Uint8Array): VideoType | undefined {
  const text = latin1(head, 0, signatureBytes);
  if (text.startsWith(ebml)) return matroskaType(text);
  const [box, brand] = [text.slice(4, 8), text.slice(8, 12)];
  if (oldQuickTime.has(box)) return "video/quicktime";
  if (box !== "ftyp" || brand.length < 4 || notVideo.test(brand)) return undefined;
  return brand === "qt  " ? "video/quicktime" : "video/mp4";
}

/** The DocType element of the EBML header: its id, a one-byte length, the text. */
function matroskaType(text: string): VideoType | undefined {
  const at = text.indexOf("\x42\x82");
  if (at < 0) return undefined;
  const name = text.slice(at + 3, at + 3 + (text.charCodeAt(at + 2) & 0x7f)).replace(/\0+$/, "");
  return Object.hasOwn(docTypes, name) ? docTypes[name] : undefined;
}

const problems: Readonly<Record<VideoFault, readonly [what: string, remedy: string]>> = {
  "not-video": ["is not an MP4, WebM, MOV or MKV video", "Choose a video file."],
  unfinished: [
    "cannot be played: the recording was not finished, or a part of the file is missing",
    "Let your recorder finish and copy the whole file, or record again.",
  ],
  "no-picture": ["has no picture", "Record your screen as well as the sound."],
  encrypted: ["is encrypted, so nobody could watch it", "Record without copy protection."],
};

/** What is wrong with a file, as the end of a sentence that begins with its name, and what to do about it. */
export const problemOf = (fault: VideoFault) => ({ what: problems[fault][0], remedy: problems[fault][1] });

/** By the codec of the pictures, the profiles that every browser shows: eight bits, and half as many colors as brightnesses. */
const pictures: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  "video/mp4": { avc: /^avc1\.(42|4d|58|64)/i },
  "video/webm": { vp8: /./, vp9: /^vp09\.00/ },
};
const sounds: Readonly<Record<string, readonly string[]>> = { "video/mp4": ["aac", "mp3"], "video/webm": ["opus", "vorbis"] };

/** Whether every current browser shows a video: H.264 with AAC in MP4, VP8 or VP9 with Opus or Vorbis in WebM. */
export function playsEverywhere({ type, tracks }: Pick<VideoFacts, "type" | "tracks">): boolean {
  return tracks.every(({ kind, codec, profile }) => {
    if (type === null || codec === null) return false;
    return kind === "audio" ? sounds[type]?.includes(codec) : pictures[type]?.[codec]?.test(String(profile));
  });
}

/** What every browser shows, as playtesters are told. */
export const watchableFormats = "MP4 with H.264 and AAC, or WebM with VP8 or VP9";

const codecNames: Readonly<Record<string, string>> = {
  avc: "H.264",
  hevc: "HEVC (H.265)",
  vp8: "VP8",
  vp9: "VP9",
  av1: "AV1",
  prores: "ProRes",
  opus: "Opus",
  vorbis: "Vorbis",
};

/** What a video is made of in a few words, such as `H.264, 1920×1080, AAC`. */
export const tracksText = (tracks: readonly Omit<VideoTrack, "profile">[]): string =>
  tracks
    .map(({ kind, codec, width, height }) => {
      const name = codec === null ? `unknown ${kind} codec` : (codecNames[codec] ?? codec.toUpperCase());
      return kind === "video" ? `${name}, ${width}×${height}` : name;
    })
    .join(", ");

const containers: Readonly<Record<VideoType, string>> = {
  "video/mp4": "MP4",
  "video/quicktime": "MOV",
  "video/webm": "WebM",
  "video/x-matroska": "MKV",
};
export const containerText = (type: VideoType | null): string => (type === null ? "an unknown format" : containers[type]);

/** What the reader of a file may cost. The index of a recording of three hours has 12 MB, and the end of one without a length up to 84 MiB. */
const defaultBounds: Bounds = { reads: 100_000, bytes: 160 * 1024 * 1024 };

/** Boxes at the top level of an MP4 before its index. Recorders write a handful. */
const mostBoxes = 10_000;

/** Where the first cluster of a recording begins at the latest, in bytes. Before it are its tracks, and sometimes a cover. */
const mostHead = 1024 * 1024;

/** How far from the end of a recording the last of its clusters begin, in bytes: up to 30 seconds of pictures. */
const tails = [4, 16, 64].map((mebibytes) => mebibytes * 1024 * 1024);

/** Longer than a week is a wrong number. */
const longestMs = 7 * 24 * 3_600_000;

/** Reads parts of a file, and throws when they become too many or too large. */
function bounded({ size, read }: VideoFile, bounds: Bounds): VideoFile {
  let [reads, bytes] = [0, 0];
  return {
    size,
    read(start, end) {
      reads++;
      bytes += end - start;
      if (reads > bounds.reads || bytes > bounds.bytes) throw new RangeError("The file takes too many steps to read.");
      return read(start, end);
    },
  };
}

/**
 * What a video file is made of. Rejects for a file that the library cannot read within the bounds.
 */
export async function inspectVideo(library: Library, file: VideoFile, bounds = defaultBounds): Promise<VideoFacts> {
  const source = bounded(file, bounds);
  const type = videoType(await source.read(0, Math.min(signatureBytes, source.size)));
  if (type === undefined) return { type: null, tracks: [], durationMs: null, fault: "not-video" };
  const isMatroska = type === "video/webm" || type === "video/x-matroska";
  const moov = isMatroska ? undefined : await findMoov(source);
  if (!isMatroska && moov === undefined) return { type, tracks: [], durationMs: null, fault: "unfinished" };
  if (moov && (await isEncrypted(source, moov))) return { type, tracks: [], durationMs: null, fault: "encrypted" };

  const input = open(library, source);
  const tracks = await input.getTracks();
  const pictures = tracks.filter((track) => track.isVideoTrack());
  const described = await Promise.all(tracks.map(describe));
  const fault = await faultOf(library, source, tracks, pictures, isMatroska);
  // What is known without the length is worth keeping.
  const seconds = fault === null ? await secondsOf(library, source, input, pictures, isMatroska).catch(() => null) : null;
  const ms = secondsInMs(seconds ?? 0);
  return { type, tracks: described, durationMs: ms > 0 && ms <= longestMs ? ms : null, fault };
}

function open(library: Library, { size, read }: VideoFile): Input {
  const { CustomSource, Input, Logging, MATROSKA, MP4, QTFF, WEBM } = library;
  Logging.level = 0;
  const source = new CustomSource({ getSize: () => size, read, handleUnhandledError() {} });
  return new Input({ source, formats: [MP4, QTFF, MATROSKA, WEBM] });
}

async function describe(track: InputTrack): Promise<VideoTrack> {
  const isVideo = track.isVideoTrack();
  return {
    kind: isVideo ? "video" : "audio",
    codec: await track.getCodec(),
    profile: await track.getCodecParameterString(),
    width: isVideo ? await track.getDisplayWidth() : null,
    height: isVideo ? await track.getDisplayHeight() : null,
  };
}

/** Why nobody could watch it; null when nothing is wrong. */
async function faultOf(
  { EncodedPacketSink }: Library,
  source: VideoFile,
  tracks: readonly InputTrack[],
  pictures: readonly InputVideoTrack[],
  isMatroska: boolean,
): Promise<VideoFault | null> {
  if (pictures.length === 0 && isMatroska && (await hasEncryptedPictures(source))) return "encrypted";
  if (pictures.length === 0) return tracks.length === 0 && isMatroska ? "unfinished" : "no-picture";
  const first = pictures.map((track) => new EncodedPacketSink(track).getFirstPacket({ metadataOnly: true }));
  return (await Promise.all(first)).every((packet) => packet === null) ? "unfinished" : null;
}

/** The length by what the file says of it, or else by its last pictures. */
async function secondsOf(
  library: Library,
  source: VideoFile,
  input: Input,
  pictures: InputVideoTrack[],
  isMatroska: boolean,
): Promise<number | null> {
  const said = await input.getDurationFromMetadata(pictures);
  if (said !== null && said > 0) return said;
  if (isMatroska) return (await secondsByTail(library, source)) ?? input.computeDuration(pictures);
  try {
    return await input.computeDuration(pictures);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // A recorder that was killed leaves half a fragment at the end.
    const whole = open(library, { ...source, size: await endOfBoxes(source) });
    return whole.computeDuration(await whole.getVideoTracks());
  }
}

/** The header of the MP4 box at a position. A size of 0 reaches to the end of the file. */
async function boxAt({ size, read }: VideoFile, at: number) {
  const bytes = await read(at, Math.min(at + 16, size));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const short = view.getUint32(0);
  const long = short === 1 && bytes.length === 16;
  const length = long ? Number(view.getBigUint64(8)) : short === 0 ? size - at : short;
  return { name: latin1(bytes, 4, 8), length, isValid: length >= (long ? 16 : 8), end: at + length };
}

/** Where the box with the index of an MP4 is; undefined when the file ends before it does. */
async function findMoov(source: VideoFile): Promise<{ start: number; end: number } | undefined> {
  for (let [at, count] = [0, 0]; at + 8 <= source.size && count < mostBoxes; count++) {
    const { name, isValid, end } = await boxAt(source, at);
    if (!isValid) return undefined;
    if (name === "moov") return end <= source.size ? { start: at, end } : undefined;
    at = end;
  }
  return undefined;
}

/** Where the last whole box at the top level of an MP4 ends. */
async function endOfBoxes(source: VideoFile): Promise<number> {
  let at = 0;
  while (at + 8 <= source.size) {
    const { isValid, end } = await boxAt(source, at);
    if (!isValid || end > source.size) break;
    at = end;
  }
  return at;
}

/** The names of encrypted pictures, `encv`, and of those of a shop for films, `drmi`: the beginning of a sample entry, with reserved bytes. */
const encryptedEntries = ["encv", "drmi"].map((name) => [...name].map((letter) => letter.charCodeAt(0)).concat(0, 0, 0, 0, 0, 0));

/** Whether the pictures of an MP4 are encrypted. */
async function isEncrypted(source: VideoFile, { start, end }: { start: number; end: number }): Promise<boolean> {
  const moov = await source.read(start, end);
  return encryptedEntries.some((entry) => indexOf(moov, entry) >= 0);
}

function indexOf(bytes: Uint8Array, wanted: readonly number[], from = 0): number {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1))
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return at;
  return -1;
}

/** The elements of Matroska that lead to how the pictures of a track are stored. */
const elementIds = {
  segment: 0x18538067,
  tracks: 0x1654ae6b,
  track: 0xae,
  kind: 0x83,
  encodings: 0x6d80,
  encoding: 0x6240,
  encryption: 0x5035,
};

const numberIn = (bytes: ArrayLike<number>) => Array.from(bytes).reduce((sum, byte) => sum * 256 + byte, 0);

/** What the elements with this id contain that a part of a Matroska file begins with. One without a size reaches to the end. */
function elementsIn(bytes: Uint8Array, wanted: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const idEnd = at + Math.clz32(bytes[at]!) - 23;
    const sizeLength = Math.clz32(bytes[idEnd] ?? 0) - 23;
    const start = idEnd + sizeLength;
    if (idEnd > at + 4 || sizeLength > 8) break;
    // The highest bit of a size says how many bytes it takes. One of which all other bits are set is not known.
    const [first = 0, ...rest] = bytes.subarray(idEnd, start);
    const size = numberIn([first & (0xff >> sizeLength), ...rest]);
    const end = size === 2 ** (7 * sizeLength) - 1 ? bytes.length : start + size;
    if (numberIn(bytes.subarray(at, idEnd)) === wanted) found.push(bytes.subarray(start, end));
    at = end;
  }
  return found;
}

/**
 * Whether a Matroska file in which the library found no pictures has them encrypted: it leaves out tracks that it cannot decode. Rejects
 * when they are stored in another way that it cannot read, such as compressed, because players can.
 */
async function hasEncryptedPictures({ size, read }: VideoFile): Promise<boolean> {
  const { segment, tracks, track, kind, encodings, encoding, encryption } = elementIds;
  const head = await read(0, Math.min(size, mostHead));
  const below = (parts: readonly Uint8Array[], id: number) => parts.flatMap((part) => elementsIn(part, id));
  const pictures = below(below(below([head], segment), tracks), track).filter((one) =>
    elementsIn(one, kind).some((content) => numberIn(content) === 1),
  );
  const ways = below(below(pictures, encodings), encoding);
  if (below(ways, encryption).length > 0) return true;
  if (ways.length > 0) throw new TypeError("The pictures are stored in a way that cannot be read here.");
  return false;
}

const clusterId = [0x1f, 0x43, 0xb6, 0x75];
/** What a cluster begins with: its time, a checksum, a gap, or a position. */
const clusterStarts = new Set([0xe7, 0xbf, 0xec, 0xa7, 0xab]);

/** Where the first cluster in a part of a Matroska file begins; -1 if none does. */
function firstCluster(bytes: Uint8Array): number {
  for (let at = indexOf(bytes, clusterId); at >= 0; at = indexOf(bytes, clusterId, at + 1)) {
    const sizeLength = Math.clz32(bytes[at + 4] ?? 0) - 23;
    if (clusterStarts.has(bytes[at + 4 + sizeLength] ?? 0)) return at;
  }
  return -1;
}

/**
 * The length of a recording that was written while it was streamed, which says it nowhere: the library reads the beginning of the file and
 * behind it the last clusters, as if nothing was between them.
 */
async function secondsByTail(library: Library, { size, read }: VideoFile): Promise<number | null> {
  const headEnd = firstCluster(await read(0, Math.min(size, mostHead)));
  if (headEnd < 0) return null;
  for (const tail of tails) {
    const from = Math.max(headEnd, size - tail);
    const cluster = firstCluster(await read(from, size));
    if (cluster < 0) continue;
    const skipped = from + cluster - headEnd;
    const parts = open(library, { size: size - skipped, read: spliced(read, headEnd, skipped) });
    const seconds = await parts.computeDuration(await parts.getVideoTracks()).catch(() => 0);
    if (seconds > 0) return seconds;
    if (from === headEnd) return null;
  }
  return null;
}

/** Reads a file without the `skipped` bytes after `headEnd`. */
function spliced(read: VideoFile["read"], headEnd: number, skipped: number): VideoFile["read"] {
  return async (start, end) => {
    if (end <= headEnd) return read(start, end);
    if (start >= headEnd) return read(start + skipped, end + skipped);
    const parts = await Promise.all([read(start, headEnd), read(headEnd + skipped, end + skipped)]);
    const bytes = new Uint8Array(end - start);
    bytes.set(parts[0]);
    bytes.set(parts[1], parts[0].length);
    return bytes;
  };
}
