/** What a transcriber says about a video. */
export interface Transcript {
  /** WebVTT. */
  vtt: string;
  keyTakeaways: string[];
}

/** Why what came is no transcript, in words for the log and the operator. */
export class NoTranscript extends Error {
  override name = "NoTranscript";
}

const maxTakeaways = 100;
const maxTakeawayChars = 2_000;
/** WEBVTT: Conforming parsers ask for this first line and nothing else. */
const webvtt = /^\uFEFF?WEBVTT([ \t][^\n\r]*)?(\r?\n|\r|$)/;

/**
 * Reads what the command printed: WebVTT, or JSON `{ "vtt": "WEBVTT…", "keyTakeaways": ["…"] }`, where `segments`
 * `[{ "start", "end", "text" }]` (seconds) may stand instead of `vtt`. Throws NoTranscript.
 */
export function readTranscript(output: string): Transcript {
  if (output.includes("\0")) throw new NoTranscript("the output is not text: it has NUL characters");
  if (webvtt.test(output)) return { vtt: output, keyTakeaways: [] };
  const parsed = parseObject(output);
  return { vtt: vttOf(parsed), keyTakeaways: takeawaysOf(parsed.keyTakeaways ?? parsed.takeaways ?? []) };
}

type Parsed = Record<string, unknown>;

function parseObject(output: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(output);
  } catch (error) {
    throw new NoTranscript("the output is neither WebVTT nor JSON", { cause: error });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Parsed;
  throw new NoTranscript("the JSON is not an object");
}

function vttOf({ vtt, segments }: Parsed): string {
  if (typeof vtt === "string" && webvtt.test(vtt)) return vtt;
  if (vtt === undefined && Array.isArray(segments)) return `WEBVTT\n\n${segments.map(cueOf).join("\n")}`;
  throw new NoTranscript("the JSON has neither `vtt` with WebVTT in it nor `segments`");
}

function cueOf(segment: unknown): string {
  const { start, end, text } = (segment ?? {}) as Parsed;
  if (typeof start !== "number" || typeof end !== "number" || typeof text !== "string" || !(0 <= start && start <= end))
    throw new NoTranscript("a segment has no start, end and text");
  // An arrow or an empty line inside the text would end the cue.
  const said = text
    .trim()
    .replaceAll("-->", "→")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replace(/\s*[\r\n]+\s*/g, "\n");
  return `${clock(start)} --> ${clock(end)}\n${said}\n`;
}

/** `01:02:03.456` */
function clock(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, "0")}`;
}

function takeawaysOf(value: unknown): string[] {
  const fits = (item: unknown) => typeof item === "string" && item.length <= maxTakeawayChars && !/[\0\p{Surrogate}]/u.test(item);
  if (Array.isArray(value) && value.length <= maxTakeaways && value.every(fits)) return value;
  throw new NoTranscript(
    `\`keyTakeaways\` is no list of at most ${maxTakeaways} texts of at most ${maxTakeawayChars} characters`,
  );
}
