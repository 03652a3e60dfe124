import { parsePosition } from "../../../../src/contract/text/position.ts";
import { invalid } from "../../../lib/api-error.ts";

/** Reads `12:41` or `12:30-12:55`, in ms. Throws an ApiError that names the field `atMs`. */
export function span(text = ""): { atMs: number; endMs: number | null } {
  const [from = "", to, ...rest] = text
    .replaceAll("–", "-")
    .split(/\s*-\s*/)
    .map((part) => part.trim());
  const [atMs, endMs] = [parsePosition(from), to === undefined ? null : parsePosition(to)];
  if (atMs === undefined || endMs === undefined || rest.length > 0)
    throw invalid("atMs", "must be a position in the video, such as 12:41, or a part of it, such as 12:30-12:55");
  if (endMs !== null && endMs <= atMs) throw invalid("atMs", "must end after it starts");
  return { atMs, endMs };
}
