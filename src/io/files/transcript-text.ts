import { type Cue, readCues } from "../../contract/text/cues.ts";

const two = (number: number) => String(number).padStart(2, "0");

/** `12:41`, `1:02:41`; minutes have two digits, so that the texts of a short video are aligned. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return seconds < 3600 ? rest : `${Math.floor(seconds / 3600)}:${rest}`;
}

const line = ({ startMs, text }: Cue) => `[${clock(startMs)}] ${text}`;

/**
 * A transcript as text for a person: WebVTT and SubRip lose their numbers and markup, and each text begins with its time. A text that is
 * neither WebVTT nor SubRip stays as it is.
 */
export function readableTranscript(text: string): string {
  const cues = readCues(text);
  return cues.length > 0 ? cues.map(line).join("\n") : text;
}
