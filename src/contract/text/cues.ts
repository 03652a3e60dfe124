import { cueTime, cueTimeInMs } from "./position.ts";
import { decodeReferences } from "./references.ts";

/** What is said in a video between two positions. */
export interface Cue {
  startMs: number;
  endMs: number;
  /** One line without markup. A named speaker stands before it: `Ann: Hello`. */
  text: string;
}

/** `00:01:02.500 --> 00:01:04.000`; the hours may be absent or have one digit, and SubRip has a comma. */
const timing = /^((?:\d+:)?\d{2}:\d{2}[.,]\d{3})[ \t]+-->[ \t]+((?:\d+:)?\d{2}:\d{2}[.,]\d{3})/;
const notSpoken = /^(WEBVTT|NOTE|STYLE|REGION)([ \t]|$)/;

/**
 * Whether cues say who speaks. If not, the tags of speakers are dropped and, at the beginning of a line, each of the hidden names with a
 * colon, which some programs write instead.
 */
export type Speakers = "named" | "hidden" | { hidden: readonly string[] };

/** What a tag stands for: `<v Ann>` and `<v.loud Ann>` for `Ann: `, any other for nothing. */
function speakerOf(tag: string): string {
  const [, name = ""] = /^<v(?:\.[^ \t>]*)?[ \t]([^>]*)>$/.exec(tag) ?? [];
  return name.trim() === "" ? "" : `${name.trim()}: `;
}

/** Up to the last `>`, each tag has an end. To look for one that is not there would read the rest of the line again for each `<`. */
function withoutTags(line: string, speakers: Speakers): string {
  const end = line.lastIndexOf(">") + 1;
  const rest = line.slice(end);
  const text = line.slice(0, end).replace(/<[^>]*>/g, (tag) => (speakers === "named" ? speakerOf(tag) : ""));
  // A `<` that no `>` follows is text, unless it could name a speaker.
  return text + (speakers === "named" ? rest : rest.replace(/<v.*/s, ""));
}

function withoutLabel(line: string, names: readonly string[]): string {
  const label = names.map((name) => `${name}:`.toLowerCase()).find((one) => line.toLowerCase().startsWith(one));
  return label === undefined ? line : line.slice(label.length).trim();
}

/** `<v Ann>Hello</v>` as `Ann: Hello`; other tags are dropped. */
function spoken(line: string, speakers: Speakers): string {
  const text = decodeReferences(withoutTags(line, speakers)).trim();
  return typeof speakers === "string" ? text : withoutLabel(text, speakers.hidden);
}

function cueOf(block: string, speakers: Speakers): Cue[] {
  const lines = block.split("\n");
  const at = lines.findIndex((line) => timing.test(line.trim()));
  const [, start, end] = timing.exec(lines[at]?.trim() ?? "") ?? [];
  if (start === undefined || end === undefined) return [];
  const text = lines
    .slice(at + 1)
    .map((line) => spoken(line, speakers))
    .filter((line) => line !== "")
    .join(" ");
  return text === "" ? [] : [{ startMs: cueTimeInMs(start), endMs: cueTimeInMs(end), text }];
}

/** The cues of a WebVTT or SubRip file in the order of the video; none for any other text. */
export const readCues = (text: string, speakers: Speakers = "named"): Cue[] =>
  text
    .replace(/^\ufeff/, "")
    .replace(/\r\n?/g, "\n")
    .split(/\n{2,}/)
    .filter((block) => !notSpoken.test(block))
    .flatMap((block) => cueOf(block, speakers))
    .sort((a, b) => a.startMs - b.startMs);

const escaped: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Cues as a WebVTT file. */
export function writeCues(cues: readonly Cue[]): string {
  const inVtt = (text: string) => text.replace(/[&<>]/g, (character) => escaped[character]!);
  const blocks = cues.map(({ startMs, endMs, text }) => `${cueTime(startMs)} --> ${cueTime(endMs)}\n${inVtt(text)}\n`);
  return ["WEBVTT\n", ...blocks].join("\n");
}
