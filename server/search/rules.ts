/**
 * What a word is, for texts and for searches. Both databases index the words found here and split nothing themselves, so that the same
 * search finds the same on each.
 */
export interface Word {
  /** As it is compared: lower case, without accents and apostrophes. */
  word: string;
  /** Where it stands in its text, in UTF-16 code units. */
  start: number;
  end: number;
}

/** Words that must stand one after the other. */
export type Phrase = readonly string[];

/** Forms of a word. Each of them may stand in its place in a phrase. */
export type Forms = readonly string[];

/** A phrase of a search. */
export interface Sought {
  phrase: Phrase;
  /** As a person typed it, in lower case. */
  spelling: string;
  /** In quotation marks: its words are meant as they are. */
  isQuoted: boolean;
}

/** The most words of a search. */
export const maxWords = 20;

const maxWordLength = 64;

/** Scripts that put no spaces between words: each character counts as a word. */
const spaceless = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((name) => `\\p{Script=${name}}`)
  .join("");
const letters = `[[\\p{L}\\p{N}\\p{M}]--[${spaceless}]]+`;
const pattern = new RegExp(`[${spaceless}]\\p{M}*|${letters}(?:['’ʼ]${letters})*`, "gv");

const notCompared = /[\u0300-\u036f]|[^\p{L}\p{N}\p{M}]/gu;

/** Most words: compared as they are. */
// Stryker disable next-line Regex: a word that does not match takes the longer way to the same result
const plain = /^[a-z0-9]{1,64}$/;

/** A word as it is compared. */
export function compared(text: string): string {
  // Stryker disable next-line ConditionalExpression: as above
  if (plain.test(text)) return text;
  const folded = text.normalize("NFKD").toLowerCase().replace(notCompared, "").normalize("NFC");
  return [...folded].slice(0, maxWordLength).join("");
}

/** The words of a text in their order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  for (const { 0: found, index: start } of text.matchAll(pattern)) {
    const word = compared(found);
    if (word !== "") words.push({ word, start, end: start + found.length });
  }
  return words;
}

/** A word as it is written, in lower case. What was typed with another apostrophe is the same word. */
export const spellingOf = (text: string): string =>
  plain.test(text) ? text : [...text.normalize("NFC").toLowerCase().replace(/[’ʼ]/g, "'")].slice(0, maxWordLength).join("");

const phraseOf = (text: string): Phrase => wordsOf(text).map(({ word }) => word);

/**
 * What a search looks for: words, and phrases in quotation marks. Whatever else a person types separates words and means nothing.
 * Words that are written together, such as `low-poly`, are a phrase. None if the text has no word.
 */
export function soughtIn(search: string): Sought[] {
  const parts = search.split(/["“”]/);
  const sought = parts.flatMap((part, index): Sought[] => {
    const isQuoted = index % 2 === 1 && index < parts.length - 1;
    return (isQuoted ? [part] : part.split(/\s/)).map((text) => {
      const [first] = wordsOf(text);
      return { phrase: phraseOf(text), spelling: first ? spellingOf(text.slice(first.start, first.end)) : "", isQuoted };
    });
  });
  const distinct = new Map(sought.map((one) => [`${one.isQuoted} ${one.phrase.join(" ")}`, one]));
  return [...distinct.values()].filter(({ phrase }) => phrase.length > 0);
}

/** The phrases of a search, in the words that a person typed. */
export const phrasesOf = (search: string): Phrase[] => soughtIn(search).map(({ phrase }) => phrase);

/** A phrase whose words have no other form. */
export const asWritten = (phrase: Phrase): Forms[] => phrase.map((word) => [word]);
