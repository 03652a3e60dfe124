/** Names of files that contain text from the network. */

// Characters that a file system rejects or interprets: separators, wildcards, streams, control and bidirectional characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
const unsafe = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Of the 255 bytes that most file systems allow a name, which is made of several parts. */
const mostBytes = 80;

/** The first characters that fit. */
function shortened(text: string): string {
  let short = "";
  for (const character of text) {
    if (Buffer.byteLength(short + character) > mostBytes) break;
    short += character;
  }
  return short;
}

/** A text as one safe part of a file name, at most 80 bytes long. */
export function safePart(text: string): string {
  const clean = text.normalize("NFC").replace(unsafe, "_").replace(/\s+/g, " ").trim();
  const short = shortened(clean)
    .replace(/^\.+/, "_")
    .replace(/[. ]+$/, "");
  if (short === "") return "_";
  return reserved.test(short) ? `_${short}` : short;
}
