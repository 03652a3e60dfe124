import { type Forms, maxWords, spellingOf, type Word, wordsOf } from "./rules.ts";

/** A line of a text: what is said in one cue of a transcript, or a line of a note. */
export interface Line {
  /** Position in the video in ms; null for a text about all of it. */
  atMs: number | null;
  text: string;
}

/**
 * What is indexed together: some consecutive lines, whose words therefore stand near each other. The lines around them are kept with
 * them: one before, to show, and as many words after as a search can have, so that phrases are found that go on in the next passage.
 */
export interface Passage {
  lines: Line[];
  /** Its own lines are those from `from` up to `to`, not included. */
  from: number;
  to: number;
}

/** A line of a result, with the parts of its text that match: from `start` to `end`, not included, in UTF-16 code units. */
export interface FoundLine extends Line {
  matches: { start: number; end: number }[];
}

/** The most words of a passage. */
const passageWords = 60;

/** Cuts a line that is too long for a passage. */
function piecesOf({ atMs, text }: Line): Line[] {
  const words = wordsOf(text);
  if (words.length <= passageWords) return [{ atMs, text }];
  const starts = words.filter((_, index) => index > 0 && index % passageWords === 0).map(({ start }) => start);
  return [0, ...starts].map((start, index) => ({ atMs, text: text.slice(start, starts[index]).trim() }));
}

/** Cuts a text into passages, in its order. */
export function passagesOf(text: readonly Line[]): Passage[] {
  const lines = text.flatMap(piecesOf).filter(({ text }) => text.trim() !== "");
  const counts = lines.map(({ text }) => wordsOf(text).length);
  /** The line behind those that fit, from the line `from`. `words` are those of the lines between. */
  const lineAfter = (from: number, fits: (words: number, line: number) => boolean) => {
    let [line, words] = [from, 0];
    // Stryker disable next-line ConditionalExpression,EqualityOperator: behind the last line nothing fits, because NaN does not
    while (line < lines.length && fits(words, line)) words += counts[line++]!;
    return line;
  };
  const passages: Passage[] = [];
  for (let from = 0; from < lines.length; ) {
    const to = lineAfter(from, (words, line) => words + counts[line]! <= passageWords);
    const end = lineAfter(to, (words) => words < maxWords - 1);
    const before = Math.max(from - 1, 0);
    passages.push({ lines: lines.slice(before, end), from: from - before, to: to - before });
    from = to;
  }
  return passages;
}

/** A word as it is compared, and as it is written in its text. */
export interface Spelled {
  word: string;
  spelling: string;
}

/** The words by which a passage is found. */
export const indexedWords = ({ lines, from }: Passage): Spelled[] =>
  lines
    .slice(from)
    .flatMap(({ text }) => wordsOf(text).map(({ word, start, end }) => ({ word, spelling: spellingOf(text.slice(start, end)) })));

interface PlacedWord extends Word {
  line: number;
}

/** The words of lines from the line `from` on. */
function placedWords(lines: readonly Line[], from: number): PlacedWord[] {
  const placed: PlacedWord[] = [];
  for (let line = from; line < lines.length; line++)
    for (const { word, start, end } of wordsOf(lines[line]!.text)) placed.push({ word, start, end, line });
  return placed;
}

/** Where a phrase stands: from one word up to another, not included. Loops, because most of the time of a search is spent here. */
function runsOf(words: readonly PlacedWord[], phrase: readonly Forms[]): [number, number][] {
  const forms = phrase.map((one) => new Set(one));
  const runs: [number, number][] = [];
  for (let at = 0; at + forms.length <= words.length; at++) {
    let length = 0;
    while (length < forms.length && forms[length]!.has(words[at + length]!.word)) length++;
    if (length === forms.length) runs.push([at, at + length]);
  }
  return runs;
}

/** The matching parts of each line, joined where a phrase goes on or phrases overlap. */
function mark(line: Line, number: number, words: readonly PlacedWord[], runs: readonly (readonly [number, number])[]): FoundLine {
  const parts = runs
    .map(([first, last]) => words.slice(first, last).filter((word) => word.line === number))
    .filter(({ length }) => length > 0)
    .map((run) => ({ start: run[0]!.start, end: run.at(-1)!.end }))
    .sort((a, b) => a.start - b.start);
  const matches: FoundLine["matches"] = [];
  for (const part of parts) {
    const last = matches.at(-1);
    if (last && part.start <= last.end) last.end = Math.max(last.end, part.end);
    else matches.push(part);
  }
  return { ...line, matches };
}

/**
 * Where in a passage the phrases stand: the lines with matches, and one around them on each side. `atMs` is the position of the first
 * match. Undefined when a phrase is missing, or when everything stands in the lines of the next passage, where it is found again.
 */
export function findIn(
  { lines, from, to }: Passage,
  phrases: readonly (readonly Forms[])[],
): { atMs: number | null; lines: FoundLine[] } | undefined {
  const words = placedWords(lines, from);
  const found = phrases.map((phrase) => runsOf(words, phrase));
  if (found.some(({ length }) => length === 0)) return undefined;
  const lineOf = (word: number) => words[word]!.line;
  // What stands in the lines behind its own is left to the next passage, unless it is needed here.
  const needed = found.flatMap((runs) => {
    const own = runs.filter(([start]) => lineOf(start) < to);
    return own.length > 0 ? own : runs.slice(0, 1);
  });
  const first = Math.min(...needed.map(([start]) => lineOf(start)));
  if (first >= to) return undefined;
  const last = Math.max(...needed.map(([, end]) => lineOf(end - 1)));
  const runs = found.flat();
  const shown = lines.map((line, number) => mark(line, number, words, runs)).slice(Math.max(first - 1, 0), last + 2);
  return { atMs: lines[first]!.atMs, lines: shown };
}
