import { exactPosition } from "../../../src/contract/text/position.ts";
import { invalid } from "../../lib/api-error.ts";

/** A position in a video, or a part of it, in ms. */
interface Span {
  at_ms: number;
  end_ms: number | null;
}

/** 422 for a part that ends before it begins or lies after the end of the video. `lengthMs` is null where the length is not known. */
export function requireWithin({ at_ms, end_ms }: Span, lengthMs: number | null): void {
  if (end_ms !== null && end_ms <= at_ms) throw invalid("endMs", "must be after atMs");
  if (lengthMs === null) return;
  const within = `must be within the video, which ends at ${exactPosition(lengthMs)}`;
  if (at_ms > lengthMs) throw invalid("atMs", within);
  if (end_ms !== null && end_ms > lengthMs) throw invalid("endMs", within);
}
