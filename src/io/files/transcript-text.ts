/** A transcript as text for a person: WebVTT and SubRip lose their numbers and markup, and each text begins with its time. */

/** `00:01:02.500 --> 00:01:04.000`; the hours may be absent, and SubRip has a comma. */
const timing = /^(?:(\d{2,}):)?(\d{2}):(\d{2})[.,]\d{3}[ \t]+-->/;
const notSpoken = /^(WEBVTT|NOTE|STYLE|REGION)([ \t]|$)/;

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", nbsp: " ", lrm: "", rlm: "" };

/** `<v Ann>Hello</v>` as `Ann: Hello`; other tags are dropped. */
const spoken = (line: string) =>
  line
    .replace(/<v(?:\.[^ \t>]*)?[ \t]+([^>]+)>/g, "$1: ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => entities[name]!)
    .trim();

function cue(block: string): string | undefined {
  const lines = block.split("\n");
  const at = lines.findIndex((line) => timing.test(line.trim()));
  if (at < 0) return undefined;
  const [, hours, minutes, seconds] = timing.exec(lines[at]!.trim())!;
  const text = lines
    .slice(at + 1)
    .map(spoken)
    .filter((line) => line !== "")
    .join(" ");
  const time = Number(hours ?? 0) > 0 ? `${Number(hours)}:${minutes}:${seconds}` : `${minutes}:${seconds}`;
  return text === "" ? undefined : `[${time}] ${text}`;
}

/** The readable form; a text that is neither WebVTT nor SubRip stays as it is. */
export function readableTranscript(text: string): string {
  const blocks = text
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .split(/\n{2,}/);
  const cues = blocks.filter((block) => !notSpoken.test(block)).flatMap((block) => cue(block) ?? []);
  return cues.length > 0 ? cues.join("\n") : text;
}
