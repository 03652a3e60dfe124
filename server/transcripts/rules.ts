/** The transcript of a video. */
export interface Transcript {
  /** WebVTT. */
  vtt: string;
  keyTakeaways: string[];
}

/** The transcriber's output is not a transcript. The message gives the reason, for the log. */
export class InvalidTranscript extends Error {
  override name = "InvalidTranscript";
}

const maxTakeaways = 100;
const maxTakeawayChars = 2_000;
/** The first line of a WebVTT file. Conforming parsers require no more than this. */
const webvtt = /^\uFEFF?WEBVTT([ \t][^\n\r]*)?(\r?\n|\r|$)/;

/**
 * Reads the output of the transcriber: WebVTT, or JSON `{ "vtt": "WEBVTT…", "keyTakeaways": ["…"] }`, which may have `segments`
 * `[{ "start", "end", "text" }]` (seconds) instead of `vtt`. Throws InvalidTranscript.
 */
export function readTranscript(output: string): Transcript {
  if (output.includes("\0")) throw new InvalidTranscript("the output is not text: it contains NUL characters");
  if (webvtt.test(output)) return { vtt: output, keyTakeaways: [] };
  const parsed = parseObject(output);
  return { vtt: vttOf(parsed), keyTakeaways: takeawaysOf(parsed.keyTakeaways ?? parsed.takeaways ?? []) };
}

/** `00:01:02.500 --> 00:01:04.000 align:start`; the hours may be absent. */
const cueTiming = /^((?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3})[ \t]+-->[ \t]+((?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3})(?:[ \t].*)?$/;

/** What is wrong with an edited transcript, as the end of a sentence about it; undefined when it is WebVTT with at least one cue. */
export function vttFault(vtt: string): string | undefined {
  if (!webvtt.test(vtt)) return "must be WebVTT: its first line must be WEBVTT";
  const arrows = vtt
    .split(/\r\n?|\n/)
    .flatMap((line, index) => (line.includes("-->") ? [{ line: line.trim(), number: index + 1 }] : []));
  if (arrows.length === 0) return "must have at least one cue, such as 00:00:01.000 --> 00:00:04.000";
  for (const { line, number } of arrows) {
    const [, start, end] = cueTiming.exec(line) ?? [];
    if (start === undefined || end === undefined)
      return `has an invalid time in line ${number}; write it as 00:00:01.000 --> 00:00:04.000`;
    if (millisecondsOf(start) > millisecondsOf(end)) return `has a cue in line ${number} that ends before it starts`;
  }
  return undefined;
}

function millisecondsOf(time: string): number {
  const [seconds, minutes, hours = "0"] = time.split(":").reverse();
  return (Number(hours) * 60 + Number(minutes)) * 60_000 + Math.round(Number(seconds) * 1000);
}

type Parsed = Record<string, unknown>;

function parseObject(output: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch (error) {
    throw new InvalidTranscript("the output is neither WebVTT nor JSON", { cause: error });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Parsed;
  throw new InvalidTranscript("the JSON is not an object");
}

function vttOf({ vtt, segments }: Parsed): string {
  if (typeof vtt === "string" && webvtt.test(vtt)) return vtt;
  if (vtt === undefined && Array.isArray(segments)) return `WEBVTT\n\n${segments.map(cueOf).join("\n")}`;
  throw new InvalidTranscript("the JSON has neither `segments` nor a `vtt` with WebVTT");
}

function cueOf(segment: unknown): string {
  const { start, end, text } = (segment ?? {}) as Parsed;
  if (typeof start !== "number" || typeof end !== "number" || typeof text !== "string" || !(0 <= start && start <= end))
    throw new InvalidTranscript("a segment has no valid start, end and text");
  // An arrow or an empty line inside the text would end the cue.
  const escaped = text
    .trim()
    .replaceAll("-->", "→")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/\s*[\r\n]+\s*/g, "\n");
  return `${clock(start)} --> ${clock(end)}\n${escaped}\n`;
}

/** `01:02:03.456` */
function clock(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, "0")}`;
}

function takeawaysOf(value: unknown): string[] {
  const isTakeaway = (item: unknown) =>
    typeof item === "string" && item.length <= maxTakeawayChars && !/[\0\p{Surrogate}]/u.test(item);
  if (Array.isArray(value) && value.length <= maxTakeaways && value.every(isTakeaway)) return value;
  throw new InvalidTranscript(
    `\`keyTakeaways\` is not a list of at most ${maxTakeaways} strings of at most ${maxTakeawayChars} characters`,
  );
}
