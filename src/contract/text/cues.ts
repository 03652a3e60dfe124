/** What is said in a video between two positions. */
export interface Cue {
  startMs: number;
  endMs: number;
  /** One line without markup. A named speaker stands before it: `Ann: Hello`. */
  text: string;
}

/** `00:01:02.500 --> 00:01:04.000`; the hours may be absent, and SubRip has a comma. */
const timing = /^(?:(\d{2,}):)?(\d{2}):(\d{2})[.,](\d{3})[ \t]+-->[ \t]+(?:(\d{2,}):)?(\d{2}):(\d{2})[.,](\d{3})/;
const notSpoken = /^(WEBVTT|NOTE|STYLE|REGION)([ \t]|$)/;

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", nbsp: " ", lrm: "", rlm: "" };

/** `<v Ann>Hello</v>` as `Ann: Hello`; other tags are dropped. */
const spoken = (line: string) =>
  line
    .replace(/<v(?:\.[^ \t>]*)?[ \t]+([^>]+)>/g, "$1: ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => entities[name]!)
    .trim();

const milliseconds = (hours = "0", minutes = "0", seconds = "0", fraction = "0") =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(fraction);

function cueOf(block: string): Cue[] {
  const lines = block.split("\n");
  const at = lines.findIndex((line) => timing.test(line.trim()));
  if (at < 0) return [];
  const [, h, m, s, f, ...end] = timing.exec(lines[at]!.trim())!;
  const text = lines
    .slice(at + 1)
    .map(spoken)
    .filter((line) => line !== "")
    .join(" ");
  return text === "" ? [] : [{ startMs: milliseconds(h, m, s, f), endMs: milliseconds(...end), text }];
}

/** The cues of a WebVTT or SubRip file in the order of the video; none for any other text. */
export const readCues = (text: string): Cue[] =>
  text
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .split(/\n{2,}/)
    .filter((block) => !notSpoken.test(block))
    .flatMap(cueOf)
    .sort((a, b) => a.startMs - b.startMs);
