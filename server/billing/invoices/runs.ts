/** A part of a text with one font and one direction. */
export interface Run {
  text: string;
  font: string;
}

/** Whether a font has a glyph for every character of a cluster. */
export type Covers = (font: string, cluster: string) => boolean;

const rtl = "\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}";
const strong = new RegExp(`[\\p{L}${rtl}]`, "u");
const rtlStretch = new RegExp(`([${rtl}]+(?:[^\\p{L}\\p{N}]+[${rtl}]+)*)`, "u");
const startsRtl = new RegExp(`^[${rtl}]`, "u");
const clusters = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * The runs of a line, in the order in which they are drawn from left to right. Right-to-left parts, such as Arabic or Hebrew, keep their
 * direction. If the line begins with one, the order of the parts is reversed.
 */
export function runsOf(line: string, fonts: readonly string[], covers: Covers): Run[] {
  const stretches = line.split(rtlStretch).filter((stretch) => stretch !== "");
  const turned = startsRtl.test(strong.exec(line)?.[0] ?? "");
  const drawn = stretches.map((stretch) => {
    if (startsRtl.test(stretch)) return fontRuns(stretch, fonts, covers).reverse();
    return fontRuns(turned ? swapSpaces(stretch) : stretch, fonts, covers);
  });
  return (turned ? drawn.reverse() : drawn).flat();
}

/** Swaps the spaces before and after a part, for a line whose parts are in reverse order. */
const swapSpaces = (text: string) => text.replace(/^(\s*)(.*?)(\s*)$/su, "$3$2$1");

/** Splits text into runs by the first font that covers each cluster, or the last font if none does. Continues a run where possible. */
function fontRuns(text: string, fonts: readonly string[], covers: Covers): Run[] {
  const runs: Run[] = [];
  for (const { segment } of clusters.segment(text)) {
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
    for (const { segment } of clusters.segment(word)) {
      if (line !== "" && measure(line + segment) > width) {
        lines.push(line);
        line = "";
      }
      line += segment;
    }
  }
  return [...lines, line.trimEnd()].filter((item) => item !== "");
}
