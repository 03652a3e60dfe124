import type { Cue } from "../text/cues.ts";

/** Quotes as evidence: only what the transcript has, so that nobody reads in a report what nobody said. */

/** Typographic signs, case and line breaks make no difference; every word and sign does. */
const compared = (text: string) =>
  text.normalize("NFKC").toLowerCase().replace(/[’ʼ]/g, "'").replace(/[“”„]/g, '"').replace(/\s+/g, " ").trim();

/** What is said between two positions (ms), and in the cue before and the cue after. */
function saidAround(cues: readonly Cue[], fromMs: number, toMs: number): string {
  const within = cues.flatMap(({ startMs, endMs }, index) => (startMs <= toMs && endMs >= fromMs ? [index] : []));
  const next = cues.findIndex(({ startMs }) => startMs > toMs);
  // Between two cues, these are the ones around.
  const between = next < 0 ? cues.length : next;
  const [first, last] = [within[0] ?? between, within.at(-1) ?? between - 1];
  return cues
    .slice(Math.max(first - 1, 0), last + 2)
    .map(({ text }) => text)
    .join(" ");
}

/** Whether a quote stands in the cues at that time (ms), or one cue away. */
export const isSaid = (quote: string, cues: readonly Cue[], fromMs: number, toMs: number): boolean =>
  compared(saidAround(cues, fromMs, toMs)).includes(compared(quote));
