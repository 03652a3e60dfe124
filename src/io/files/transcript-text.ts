import { type Cue, readCues } from "../../contract/text/cues.ts";
import { positionText } from "../../contract/text/position.ts";

/** `02:41`, `1:02:41`; minutes have two digits, so that the texts of a short video are aligned. */
const clock = (ms: number) => positionText(ms).padStart(5, "0");

const line = ({ startMs, text }: Cue) => `[${clock(startMs)}] ${text}`;

/**
 * A transcript as text for a person: WebVTT and SubRip lose their numbers and markup, and each text begins with its time. A text that is
 * neither WebVTT nor SubRip stays as it is.
 */
export function readableTranscript(text: string): string {
  const cues = readCues(text);
  return cues.length > 0 ? cues.map(line).join("\n") : text;
}
