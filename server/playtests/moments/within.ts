import { exactPosition } from "../../../src/contract/text/position.ts";
import { invalid } from "../../lib/api-error.ts";

/** A position in a video, or a part of it, in ms. */
interface Span {
  at_ms: number;
  end_ms: number | null;
}

/** 422 for a part that ends before it begins or lies after the end of the video. `lengthMs` is null where the length is not known; `at` and `end` are what the request calls them. */
export function requireWithin({ at_ms, end_ms }: Span, lengthMs: number | null, { at = "atMs", end = "endMs" } = {}): void {
  if (end_ms !== null && end_ms <= at_ms) throw invalid(end, `must be after ${at}`);
  if (lengthMs === null) return;
  const within = `must be within the video, which ends at ${exactPosition(lengthMs)}`;
  if (at_ms > lengthMs) throw invalid(at, within);
  if (end_ms !== null && end_ms > lengthMs) throw invalid(end, within);
}
