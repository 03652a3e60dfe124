import type { Cue } from "../../../src/contract/text/cues.ts";
import { quietDb } from "../signals/rules.ts";

/** What of a transcript was most likely said: programs that transcribe repeat themselves, and hear words in silence. By structure, not by words. */

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

/** The cues without loops, without those over measured silence and without those that nobody could say so fast. */
export function likelySaid(cues: readonly Cue[], loudness: readonly number[] | null): Cue[] {
  const runs: Cue[][] = [];
  for (const cue of cues) {
    if (sameText(cue, runs.at(-1)?.[0])) runs.at(-1)!.push(cue);
    else runs.push([cue]);
  }
  return runs
    .filter((run) => run.length < loopLength)
    .flat()
    .filter((cue) => !isTooFast(cue) && !(loudness !== null && isSilent(cue, loudness)));
}
