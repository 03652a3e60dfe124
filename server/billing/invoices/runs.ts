/** A stretch of text that one font draws in one direction. */
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
 * The runs of a line, left to right as they are drawn. Stretches of Arabic, Hebrew and the like keep their own direction,
 * and their order is turned round where the line begins with them.
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

/** The space before a stretch stands behind it when the stretches are turned round. */
const swapSpaces = (text: string) => text.replace(/^(\s*)(.*?)(\s*)$/su, "$3$2$1");

/** Splits by the first font that has each cluster; the last one takes what no font has. A run is kept whole where it can. */
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

/** Breaks text into lines no wider than `width` allows: between words, and within one that is too long by itself. */
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
