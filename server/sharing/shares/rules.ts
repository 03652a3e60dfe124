import type { SlotStatus } from "../../../src/contract/states/index.ts";

const hour = 3_600_000;

/** How long a share is still listed after it expired (ms). */
export const expiredShareMs = 30 * 24 * hour;

/** How long a browser that knows the password of a share is not asked again (ms). */
export const unlockedMs = 12 * hour;

/** Within this time (ms), a browser that opens a page again is not counted. */
export const sameViewMs = hour;

/** Shares that an account can have at once, with those that expired recently. */
export const maxShares = 1_000;

/** Slots whose videos can be shared: those that wait for review or are paid. */
export const shareable = ["submitted", "publishing", "accepted"] as const satisfies readonly SlotStatus[];

/** A part of a video (ms). */
export interface Part {
  at_ms: number;
  end_ms: number;
}

/** Whether a position (ms) is in a part of a video. */
export const isWithin = ({ at_ms, end_ms }: Part, atMs: number): boolean => atMs >= at_ms && atMs <= end_ms;

interface Timed {
  startMs: number;
  endMs: number;
}

/** What of a transcript is heard in a part of a video, with positions in that part. */
export const cuesWithin = <T extends Timed>(cues: readonly T[], part: Part | undefined): T[] =>
  part === undefined
    ? [...cues]
    : cues
        .filter(({ startMs, endMs }) => startMs < part.end_ms && endMs > part.at_ms)
        .map((cue) => ({
          ...cue,
          startMs: Math.max(0, cue.startMs - part.at_ms),
          endMs: Math.min(part.end_ms, cue.endMs) - part.at_ms,
        }));
