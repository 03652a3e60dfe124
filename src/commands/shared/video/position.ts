import { parsePosition } from "../../../contract/text/position.ts";
import { usage } from "../../../errors.ts";

/** A position in a video, in ms; a usage error for any other text. */
export function position(text: string): number {
  const ms = parsePosition(text);
  if (ms === undefined)
    throw usage(`${JSON.stringify(text)} is not a position in a video.`, "Examples: 12:41, 1:02:41, 90s, 12:30-12:55.");
  return ms;
}

/** `12:41` or `12:30-12:55`. `outcome` says what was not done when it is neither. */
export function span(text: string, outcome: string): { atMs: number; endMs?: number } {
  const [from = "", to, ...rest] = text.split("-");
  const atMs = position(rest.length > 0 ? text : from);
  if (to === undefined) return { atMs };
  const endMs = position(to);
  if (endMs <= atMs) throw usage(`The end must be after the start. ${outcome}`);
  return { atMs, endMs };
}
