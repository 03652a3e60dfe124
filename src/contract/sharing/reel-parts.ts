/** Which parts of videos a reel has. Pure. */

/** A place in a video that may be shown, in ms. */
export interface Place {
  slotId: string;
  fromMs: number;
  /** Null for a single point. */
  toMs: number | null;
  /** What its card says. */
  title: string;
}

export interface ReelPart {
  slotId: string;
  atMs: number;
  endMs: number;
  title: string;
}

/** How much is shown before and after a place, and the longest part (ms). */
const beforeMs = 4_000;
const afterMs = 8_000;
const longestMs = 60_000;

/** A place with what is around it. */
const around = ({ slotId, fromMs, toMs, title }: Place): ReelPart => {
  const atMs = Math.max(0, fromMs - beforeMs);
  return { slotId, atMs, endMs: Math.min((toMs ?? fromMs) + afterMs, atMs + longestMs), title };
};

const overlap = (a: ReelPart, b: ReelPart) => a.slotId === b.slotId && a.atMs < b.endMs && b.atMs < a.endMs;

/** One place of each video, then the second of each, and so on: a reel shows many playtesters rather than much of one. */
export function inTurns<T extends { slotId: string }>(places: readonly T[]): T[] {
  const bySlot = new Map<string, T[]>();
  for (const place of places) bySlot.set(place.slotId, [...(bySlot.get(place.slotId) ?? []), place]);
  const rows = [...bySlot.values()];
  const most = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: most }, (_, turn) => rows.flatMap((row) => row.slice(turn, turn + 1))).flat();
}

/** The parts of a reel that fit in so many ms and are at most so many, without those that would show a second twice. In the order given. */
export function partsFor(places: readonly Place[], maxMs: number, most: number): ReelPart[] {
  const parts: ReelPart[] = [];
  let leftMs = maxMs;
  for (const place of places) {
    const part = around(place);
    const length = part.endMs - part.atMs;
    if (parts.length === most || length > leftMs || parts.some((other) => overlap(other, part))) continue;
    parts.push(part);
    leftMs -= length;
  }
  return parts;
}
