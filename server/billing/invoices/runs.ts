import createBidi from "bidi-js";

/** A part of a text with one font and one direction. */
export interface Run {
  text: string;
  font: string;
}

/** Whether a font has a glyph for every character of a cluster. */
export type Covers = (font: string, cluster: string) => boolean;

// Its types describe another module format than Node.js loads.
const bidi = (createBidi as unknown as typeof createBidi.default)();
const strong = /\p{L}/u;
/** Letters whose font lays a run out from right to left by itself. */
const rtl = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** Characters that only say in which direction others are read. */
const controls = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/;
const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
const clustersOf = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);

/**
 * The runs of a line, in the order in which they are drawn from left to right, by the Unicode Bidirectional Algorithm. The letters of each
 * are in the order in which its font takes them.
 */
export function runsOf(line: string, fonts: readonly string[], covers: Covers): Run[] {
  const clusters = clustersOf(line);
  const text = clusters.map(standIn).join("");
  const resolved = bidi.getEmbeddingLevels(text);
  const mirrored = bidi.getMirroredCharactersMap(text, resolved.levels);
  const kept = [...clusters.keys()].filter((at) => !controls.test(text[at]!));
  const places = new Map(kept.map((at, place) => [at, place]));
  const shown = kept.map((at) => mirrored.get(at) ?? clusters[at]!);
  const levels = kept.map((at) => resolved.levels[at]!);
  const drawn = bidi.getReorderedIndices(text, resolved).flatMap((at) => places.get(at) ?? []);
  return stretches(drawn, levels).flatMap(({ from, to, isRtl }) => {
    const runs = fontRuns(shown.slice(from, to), fonts, covers);
    return isRtl ? runs.reverse().map(turned) : runs;
  });
}

/** A character of the direction of a cluster. The algorithm takes each UTF-16 unit for a character. */
function standIn(cluster: string): string {
  if (!/^[\ud800-\udfff]/.test(cluster)) return cluster[0]!;
  if (rtl.test(cluster)) return "\u05d0";
  return strong.test(cluster) ? "a" : "\u263a";
}

/** A name in a sentence, so that its direction decides neither that of the sentence nor of what stands beside it. */
export const isolated = (name: string): string => `\u2068${name}\u2069`;

interface Stretch {
  from: number;
  to: number;
  isRtl: boolean;
}

/** Joins clusters, given in the order in which they are drawn, that are neighbors in the text and have one direction. */
function stretches(drawn: readonly number[], levels: readonly number[]): Stretch[] {
  const found: Stretch[] = [];
  for (const at of drawn) {
    const [last, isRtl] = [found.at(-1), levels[at]! % 2 === 1];
    if (last && last.isRtl === isRtl && at === (isRtl ? last.from - 1 : last.to)) {
      last.from = Math.min(last.from, at);
      last.to = Math.max(last.to, at + 1);
    } else found.push({ from: at, to: at + 1, isRtl });
  }
  return found;
}

/** A run that is drawn from right to left. Only the font of letters knows that by itself. */
const turned = ({ text, font }: Run): Run => ({ font, text: rtl.test(text) ? text : clustersOf(text).reverse().join("") });

/** Joins clusters to runs by the first font that covers each cluster, or the last font if none does. Continues a run where possible. */
function fontRuns(clusters: readonly string[], fonts: readonly string[], covers: Covers): Run[] {
  const runs: Run[] = [];
  for (const segment of clusters) {
    const last = runs.at(-1);
    const isPlain = !strong.test(segment);
    const font =
      last && isPlain && covers(last.font, segment) ? last.font : (fonts.find((name) => covers(name, segment)) ?? fonts.at(-1)!);
    if (last?.font === font) last.text += segment;
    else runs.push({ text: segment, font });
  }
  return runs;
}

/** Breaks text into lines of at most `width`: between words, or within a word that is longer than a line. */
export function wrap(text: string, width: number, measure: (text: string) => number): string[] {
  if (measure(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<=\s)/u)) {
    if (measure(line + word.trimEnd()) <= width) {
      line += word;
      continue;
    }
    if (line !== "") lines.push(line.trimEnd());
    line = "";
    for (const segment of clustersOf(word)) {
      if (line !== "" && measure(line + segment) > width) {
        lines.push(line);
        line = "";
      }
      line += segment;
    }
  }
  return [...lines, line.trimEnd()].filter((item) => item !== "");
}
