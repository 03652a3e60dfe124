/**
 * What a video file is made of, and why nobody could watch it. The command, a thread of the server and the page that uploads videos all run
 * this file, so it is plain JavaScript without imports: whoever calls it hands over the library that reads containers, mediabunny.
 */

/** How many bytes at the start of a file identify its type. */
export const signatureBytes = 64;

const notVideo = /^(heic|heix|hev.|heim|heis|mif1|msf1|avif|avis|M4A |M4B |M4P |crx |jp2 |jpx |jpm )/;
const oldQuickTime = new Set(["moov", "mdat", "wide", "free", "skip", "pnot"]);
const ebml = "\x1a\x45\xdf\xa3";
const docTypes = { webm: "video/webm", matroska: "video/x-matroska" };

const latin1 = (bytes, from = 0, to = bytes.length) => String.fromCharCode(...bytes.subarray(from, to));

/** The media type by signature (MP4, WebM, MOV, MKV), independent of the file name. Undefined for any other file. */
export function videoType(head) {
  const text = latin1(head, 0, signatureBytes);
  if (text.startsWith(ebml)) return matroskaType(text);
  const [box, brand] = [text.slice(4, 8), text.slice(8, 12)];
  if (oldQuickTime.has(box)) return "video/quicktime";
  if (box !== "ftyp" || brand.length < 4 || notVideo.test(brand)) return undefined;
  return brand === "qt  " ? "video/quicktime" : "video/mp4";
}

/** The DocType element of the EBML header: its id, a one-byte length, the text. */
function matroskaType(text) {
  const at = text.indexOf("\x42\x82");
  if (at < 0) return undefined;
  const name = text.slice(at + 3, at + 3 + (text.charCodeAt(at + 2) & 0x7f)).replace(/\0+$/, "");
  return Object.hasOwn(docTypes, name) ? docTypes[name] : undefined;
}

const problems = {
  "not-video": ["is not an MP4, WebM, MOV or MKV video", "Choose a video file."],
  unfinished: [
    "cannot be played: the recording was not finished, or a part of the file is missing",
    "Let your recorder finish and copy the whole file, or record again.",
  ],
  "no-picture": ["has no picture", "Record your screen as well as the sound."],
  encrypted: ["is encrypted, so nobody could watch it", "Record without copy protection."],
};

/** What is wrong with a file, as the end of a sentence that begins with its name, and what to do about it. */
export const problemOf = (fault) => ({ what: problems[fault][0], remedy: problems[fault][1] });

/** By the codec of the pictures, the profiles that every browser shows: eight bits, and half as many colors as brightnesses. */
const pictures = { "video/mp4": { avc: /^avc1\.(42|4d|58|64)/i }, "video/webm": { vp8: /./, vp9: /^vp09\.00/ } };
const sounds = { "video/mp4": ["aac", "mp3"], "video/webm": ["opus", "vorbis"] };

/** Whether every current browser shows a video: H.264 with AAC in MP4, VP8 or VP9 with Opus or Vorbis in WebM. */
export function playsEverywhere({ type, tracks }) {
  return tracks.every(({ kind, codec, profile }) =>
    kind === "audio" ? sounds[type]?.includes(codec) : pictures[type]?.[codec]?.test(profile),
  );
}

/** What every browser shows, as playtesters are told. */
export const watchableFormats = "MP4 with H.264 and AAC, or WebM with VP8 or VP9";

const codecNames = {
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
export const tracksText = (tracks) =>
  tracks
    .map(({ kind, codec, width, height }) => {
      const name = codec === null ? `unknown ${kind} codec` : (codecNames[codec] ?? codec.toUpperCase());
      return kind === "video" ? `${name}, ${width}×${height}` : name;
    })
    .join(", ");

const containers = { "video/mp4": "MP4", "video/quicktime": "MOV", "video/webm": "WebM", "video/x-matroska": "MKV" };
export const containerText = (type) => containers[type];

/** What the reader of a file may cost. The index of a recording of three hours has 12 MB, and the end of one without a length up to 84 MiB. */
const defaultBounds = { reads: 100_000, bytes: 160 * 1024 * 1024 };

/** Boxes at the top level of an MP4 before its index. Recorders write a handful. */
const mostBoxes = 10_000;

/** Where the first cluster of a recording begins at the latest, in bytes. Before it are its tracks, and sometimes a cover. */
const mostHead = 1024 * 1024;

/** How far from the end of a recording the last of its clusters begin, in bytes: up to 30 seconds of pictures. */
const tails = [4, 16, 64].map((mebibytes) => mebibytes * 1024 * 1024);

/** Longer than a week is a wrong number. */
const longestMs = 7 * 24 * 3_600_000;

/** Reads parts of a file, and throws when they become too many or too large. */
function bounded({ size, read }, bounds) {
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
 * What a video file is made of. `file` has its `size` and a function `read(start, end)` that returns these bytes or a promise of them.
 * Rejects for a file that the library cannot read within the bounds.
 */
export async function inspectVideo(library, file, bounds = defaultBounds) {
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
  const ms = Math.round((seconds ?? 0) * 1000);
  return { type, tracks: described, durationMs: ms > 0 && ms <= longestMs ? ms : null, fault };
}

function open({ CustomSource, Input, Logging, MATROSKA, MP4, QTFF, WEBM }, { size, read }) {
  Logging.level = 0;
  const source = new CustomSource({ getSize: () => size, read, handleUnhandledError() {} });
  return new Input({ source, formats: [MP4, QTFF, MATROSKA, WEBM] });
}

async function describe(track) {
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
async function faultOf({ EncodedPacketSink }, source, tracks, pictures, isMatroska) {
  if (pictures.length === 0 && isMatroska && (await hasEncryptedPictures(source))) return "encrypted";
  if (pictures.length === 0) return tracks.length === 0 && isMatroska ? "unfinished" : "no-picture";
  const first = pictures.map((track) => new EncodedPacketSink(track).getFirstPacket({ metadataOnly: true }));
  return (await Promise.all(first)).every((packet) => packet === null) ? "unfinished" : null;
}

/** The length by what the file says of it, or else by its last pictures. */
async function secondsOf(library, source, input, pictures, isMatroska) {
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
async function boxAt({ size, read }, at) {
  const bytes = await read(at, Math.min(at + 16, size));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const short = view.getUint32(0);
  const long = short === 1 && bytes.length === 16;
  const length = long ? Number(view.getBigUint64(8)) : short === 0 ? size - at : short;
  return { name: latin1(bytes, 4, 8), length, isValid: length >= (long ? 16 : 8), end: at + length };
}

/** Where the box with the index of an MP4 is; undefined when the file ends before it does. */
async function findMoov(source) {
  for (let [at, count] = [0, 0]; at + 8 <= source.size && count < mostBoxes; count++) {
    const { name, isValid, end } = await boxAt(source, at);
    if (!isValid) return undefined;
    if (name === "moov") return end <= source.size ? { start: at, end } : undefined;
    at = end;
  }
  return undefined;
}

/** Where the last whole box at the top level of an MP4 ends. */
async function endOfBoxes(source) {
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
async function isEncrypted(source, { start, end }) {
  const moov = await source.read(start, end);
  return encryptedEntries.some((entry) => indexOf(moov, entry) >= 0);
}

function indexOf(bytes, wanted, from = 0) {
  for (let at = bytes.indexOf(wanted[0], from); at >= 0; at = bytes.indexOf(wanted[0], at + 1))
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

const numberIn = (bytes) => bytes.reduce((sum, byte) => sum * 256 + byte, 0);

/** What the elements with this id contain that a part of a Matroska file begins with. One without a size reaches to the end. */
function elementsIn(bytes, wanted) {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const idEnd = at + Math.clz32(bytes[at]) - 23;
    const sizeLength = Math.clz32(bytes[idEnd] ?? 0) - 23;
    const start = idEnd + sizeLength;
    if (idEnd > at + 4 || sizeLength > 8) break;
    // The highest bit of a size says how many bytes it takes. One of which all other bits are set is not known.
    const [first, ...rest] = bytes.subarray(idEnd, start);
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
async function hasEncryptedPictures({ size, read }) {
  const { segment, tracks, track, kind, encodings, encoding, encryption } = elementIds;
  const head = await read(0, Math.min(size, mostHead));
  const below = (parts, id) => parts.flatMap((part) => elementsIn(part, id));
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
function firstCluster(bytes) {
  for (let at = indexOf(bytes, clusterId); at >= 0; at = indexOf(bytes, clusterId, at + 1)) {
    const sizeLength = Math.clz32(bytes[at + 4] ?? 0) - 23;
    if (clusterStarts.has(bytes[at + 4 + sizeLength])) return at;
  }
  return -1;
}

/**
 * The length of a recording that was written while it was streamed, which says it nowhere: the library reads the beginning of the file and
 * behind it the last clusters, as if nothing was between them.
 */
async function secondsByTail(library, { size, read }) {
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
function spliced(read, headEnd, skipped) {
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
