/** Names of files that contain text from the network. */

// Characters that a file system rejects or interprets: separators, wildcards, streams, control and bidirectional characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
const unsafe = /[\u0000-\u001f\u007f-\u009f<>:"/\\|?*\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A text as one safe part of a file name, at most 80 characters long. */
export function safePart(text: string): string {
  const clean = text.normalize("NFC").replace(unsafe, "_").replace(/\s+/g, " ").trim();
  const short = [...clean]
    .slice(0, 80)
    .join("")
    .replace(/^\.+/, "_")
    .replace(/[. ]+$/, "");
  if (short === "") return "_";
  return reserved.test(short) ? `_${short}` : short;
}
