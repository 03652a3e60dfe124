import { cueTime, secondsInMs } from "../../src/contract/text/position.ts";
import { isWebVtt, toWebVtt } from "../../src/contract/text/webvtt.ts";

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

/**
 * Reads the output of the transcriber: WebVTT, SubRip, or JSON `{ "vtt": "WEBVTT…", "keyTakeaways": ["…"] }`, which may have `segments`
 * `[{ "start", "end", "text" }]` (seconds) instead of `vtt`. Throws InvalidTranscript.
 */
export function readTranscript(output: string): Transcript {
  if (output.includes("\0")) throw new InvalidTranscript("the output is not text: it contains NUL characters");
  const vtt = subtitles(output);
  if (vtt !== undefined) return { vtt, keyTakeaways: [] };
  const parsed = parseObject(output);
  return { vtt: vttOf(parsed), keyTakeaways: takeawaysOf(parsed.keyTakeaways ?? parsed.takeaways ?? []) };
}

/** WebVTT from what a program wrote. A video in which nobody speaks has WebVTT without cues; what is wrong with others stays as it is. */
const subtitles = (text: string) => toWebVtt(text).vtt ?? (isWebVtt(text) ? text : undefined);

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
  const given = typeof vtt === "string" ? subtitles(vtt) : undefined;
  if (given !== undefined) return given;
  if (vtt === undefined && Array.isArray(segments)) return `WEBVTT\n\n${segments.map(cueOf).join("\n")}`;
  throw new InvalidTranscript("the JSON has neither `segments` nor a `vtt` with WebVTT");
}

const timeAt = (seconds: number) => cueTime(secondsInMs(seconds));

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
    .replace(/\s*[\r\n]\s*/g, "\n");
  return `${timeAt(start)} --> ${timeAt(end)}\n${escaped}\n`;
}

function takeawaysOf(value: unknown): string[] {
  const isTakeaway = (item: unknown) =>
    typeof item === "string" && item.length <= maxTakeawayChars && !/[\0\p{Surrogate}]/u.test(item);
  if (Array.isArray(value) && value.length <= maxTakeaways && value.every(isTakeaway)) return value;
  throw new InvalidTranscript(
    `\`keyTakeaways\` is not a list of at most ${maxTakeaways} strings of at most ${maxTakeawayChars} characters`,
  );
}
