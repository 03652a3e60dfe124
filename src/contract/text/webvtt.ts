import { cueTimeInMs } from "./position.ts";

/** The first line of a WebVTT file. Conforming parsers require no more than this. */
const header = /^WEBVTT([ \t][^\n]*)?(\n|$)/;

/** A time of a cue, as people and programs write it: the hours may be absent or have one digit, and SubRip has a comma. */
const time = String.raw`(?:\d+:)?[0-5]\d:[0-5]\d[.,]\d{3}`;
const timing = new RegExp(`^[ \\t]*(${time})[ \\t]+-->[ \\t]+(${time})([ \\t].*)?$`);
/** Two times without the arrow of WebVTT between them: what follows would be left out without a word. */
const mistyped = new RegExp(String.raw`^[ \t]*${time}[ \t]*[-=~>\u2010-\u2015\u2192]+[ \t]*${time}`);

const example = "00:00:01.000 --> 00:00:04.000";

/** A text as WebVTT, or why it is none, as the end of a sentence about it. */
export type Converted = { vtt: string; fault?: undefined } | { vtt?: undefined; fault: string };

/** Lines that end as those of this system do, without the mark of the byte order. */
const normal = (text: string) => text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");

/** Whether a text begins as WebVTT does. */
export const isWebVtt = (text: string): boolean => header.test(normal(text));

/**
 * WebVTT from WebVTT or SubRip (SRT): hours of at least two digits, lines that end alike, and characters of SubRip that mean
 * something else in WebVTT as references. A fault names the line.
 */
export function toWebVtt(text: string): Converted {
  const plain = normal(text);
  const isSubRip = !header.test(plain);
  const lines = plain.split("\n");
  let cues = 0;
  for (const [index, line] of lines.entries()) {
    if (!line.includes("-->") && !mistyped.test(line)) {
      if (isSubRip) lines[index] = spokenInVtt(line);
      continue;
    }
    const [, start, end, settings = ""] = timing.exec(line) ?? [];
    const number = index + 1;
    if (start === undefined || end === undefined) {
      // Nothing says that it is a subtitle file at all, unless a cue is numbered.
      if (isSubRip && cues === 0 && !/^\d+\s*$/.test(lines[index - 1] ?? "")) break;
      return { fault: `has an invalid time in line ${number}; write it as ${example}` };
    }
    if (cueTimeInMs(start) > cueTimeInMs(end)) return { fault: `has a cue in line ${number} that ends before it starts` };
    // What stands behind the times of SubRip are pixels.
    lines[index] = `${inVtt(start)} --> ${inVtt(end)}${isSubRip ? "" : settings.trimEnd()}`;
    cues++;
  }
  if (cues > 0) return { vtt: `${isSubRip ? "WEBVTT\n\n" : ""}${lines.join("\n").replace(isSubRip ? /^\n+/ : /^/, "")}` };
  if (isSubRip) return { fault: "must be WebVTT, whose first line is WEBVTT, or SubRip (SRT)" };
  return { fault: `must have at least one cue, such as ${example}` };
}

/** `1:02:03,500` as `01:02:03.500`. What is right in WebVTT stays as it is. */
function inVtt(written: string): string {
  if (/^(\d{2,}:)?\d\d:\d\d\.\d{3}$/.test(written)) return written;
  const [rest, hours] = [written.slice(-9).replace(",", "."), written.slice(0, -10)];
  return `${hours.padStart(2, "0")}:${rest}`;
}

/** A line of SubRip: bold, italics and underlining mean the same, fonts and positions nothing, and other characters themselves. */
const spokenInVtt = (line: string) =>
  line
    .replace(/<\/?font\b[^<>]*>|\{\\an?\d+\}/gi, "")
    .replace(/&(?!(#\d+|#x[\da-f]+|[a-z][a-z\d]+);)/gi, "&amp;")
    .replace(/<(?!\/?[biu]>)/gi, "&lt;");
