/** Which words of an owner's texts are meant by a word of a search. */

/** A word of an owner's texts, in one of its spellings. */
export interface Known {
  word: string;
  /** In the languages of its script, in their order, separated by spaces. */
  stems: string;
  /** How often it stands in the texts. */
  uses: number;
}

/** From so many letters on, a word of a search stands for those that begin with it, and for its other forms. */
export const shortestBeginning = 3;
/** From so many letters on, one of them may be wrong. */
const shortestMistaken = 4;
/** The most words that those of a search stand for together, and the least that each may: then the most frequent ones. */
const [mostTogether, leastEach] = [16, 4];

/** The most words that each of so many words of a search stands for: the time that an index takes grows with all of them. */
export const mostForms = (words: number): number => Math.max(leastEach, Math.floor(mostTogether / Math.max(1, words)));

/**
 * Whether two words have the same stem in one of the languages. Where there are several, a short stem counts only between a word and one
 * that begins with it: `hero` and `here` are both `her` in Italian.
 */
function haveOneStem(a: { word: string; stems: string }, b: { word: string; stems: string }): boolean {
  if (a.stems === "" || b.stems === "") return false;
  const [ours, theirs] = [a.stems.split(" "), b.stems.split(" ")];
  const isLongEnough = (stem: string) =>
    ours.length === 1 || stem.length >= 4 || a.word.startsWith(b.word) || b.word.startsWith(a.word);
  return ours.length === theirs.length && ours.some((stem, language) => stem === theirs[language] && isLongEnough(stem));
}

/** Whether one letter is missing, too much, another or exchanged with the next. */
export function differsByOne(one: string, other: string): boolean {
  const [a, b] = [[...one], [...other]];
  if (a.length > b.length) return differsByOne(other, one);
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const isSame = (fromA: number, fromB: number) => a.slice(fromA).join("") === b.slice(fromB).join("");
  if (a.length < b.length) return isSame(at, at + 1);
  const isExchanged = a[at] === b[at + 1] && a[at + 1] === b[at] && isSame(at + 2, at + 2);
  return at < a.length && (isExchanged || isSame(at + 1, at + 1));
}

/** The different words by their uses, and where those are equal by their letters. */
function frequent(known: readonly Known[]): string[] {
  const uses = new Map<string, number>();
  for (const one of known) uses.set(one.word, (uses.get(one.word) ?? 0) + one.uses);
  return [...uses.keys()].sort((a, b) => uses.get(b)! - uses.get(a)! || (a < b ? -1 : 1));
}

/** The word itself, then words with its stem, then those that begin with it. `known` are words that begin like it. */
export function formsAmong(word: string, stems: string, known: readonly Known[]): string[] {
  const relatives = known.filter((one) => haveOneStem({ word, stems }, one));
  const longer = known.filter((one) => one.word.startsWith(word));
  return [...new Set([word, ...frequent(relatives), ...frequent(longer)])];
}

/** The word itself, and those from which it differs by one letter. */
export const mistakenAmong = (word: string, known: readonly Known[]): string[] => [
  ...new Set([word, ...frequent(known.filter((one) => differsByOne(word, one.word)))]),
];

/** Whether a letter of this word may be wrong. Another number is no mistake. */
export const mayBeMistaken = (word: string) => [...word].length >= shortestMistaken && !/\p{N}/u.test(word);

/** As many letters of the beginning or end of a word as are right in one of both, wherever one of its letters is wrong. */
export const half = (word: string): number => Math.floor(([...word].length - 1) / 2);

/** The beginning that the other forms of a word share with it. */
export const beginning = (word: string): string => [...word].slice(0, shortestBeginning).join("");
