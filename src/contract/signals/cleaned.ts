import type { Cue } from "../text/cues.ts";
import { quietDb } from "./quiet.ts";

/** What of a transcript was most likely said: programs that transcribe repeat themselves, and hear words in silence. By structure, not by words. */

/** Why a cue is left out. */
export type LeftOut = "loop" | "too_fast" | "silence";

export interface RemovedCue extends Cue {
  reason: LeftOut;
}

/** So many equal cues in a row are a loop: of these, none counts. */
const loopLength = 4;
/** Nobody speaks faster, in characters per second; of short cues the times are not so exact. */
const fastest = 40;
const shortestMs = 1_000;

const isSilent = ({ startMs, endMs }: Cue, loudness: readonly number[]) => {
  const heard = loudness.slice(Math.floor(startMs / 1000), Math.max(Math.ceil(endMs / 1000), Math.floor(startMs / 1000) + 1));
  return heard.length > 0 && heard.every((db) => db <= quietDb);
};

const isTooFast = ({ startMs, endMs, text }: Cue) => text.length / (Math.max(endMs - startMs, shortestMs) / 1000) > fastest;

const sameText = (a: Cue, b: Cue | undefined) => a.text.trim().toLowerCase() === b?.text.trim().toLowerCase();

/** Equal cues in a row, together. */
function runsOf(cues: readonly Cue[]): Cue[][] {
  const runs: Cue[][] = [];
  for (const cue of cues) {
    if (sameText(cue, runs.at(-1)?.[0])) runs.at(-1)!.push(cue);
    else runs.push([cue]);
  }
  return runs;
}

/**
 * The cues without loops, without those over measured silence and without those that nobody could say so fast; and what was left out.
 * `loudness`: of each second in dB; null where it was not measured.
 */
export function cleaned(cues: readonly Cue[], loudness: readonly number[] | null): { kept: Cue[]; removed: RemovedCue[] } {
  const [kept, removed]: [Cue[], RemovedCue[]] = [[], []];
  const reasonOf = (cue: Cue, run: readonly Cue[]): LeftOut | undefined => {
    if (run.length >= loopLength) return "loop";
    if (isTooFast(cue)) return "too_fast";
    return loudness !== null && isSilent(cue, loudness) ? "silence" : undefined;
  };
  for (const run of runsOf(cues))
    for (const cue of run) {
      const reason = reasonOf(cue, run);
      if (reason) removed.push({ ...cue, reason });
      else kept.push(cue);
    }
  return { kept, removed };
}

/** Why a line is left out, for a person. */
export const leftOutText: Record<LeftOut, string> = {
  loop: "repeated",
  too_fast: "too fast to be said",
  silence: "nothing was heard",
};
