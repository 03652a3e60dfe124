/** The words of a text as their stems, so that "crashes" and "crashed" are the same. */

interface Language {
  stemmer(word: string): string;
  stopwords: readonly string[];
}

/** By the part of a language tag before the hyphen. */
const languages = {
  da: () => both(import("@orama/stemmers/danish"), import("@orama/stopwords/danish")),
  de: () => both(import("@orama/stemmers/german"), import("@orama/stopwords/german")),
  en: () => both(import("@orama/stemmers/english"), import("@orama/stopwords/english")),
  es: () => both(import("@orama/stemmers/spanish"), import("@orama/stopwords/spanish")),
  fi: () => both(import("@orama/stemmers/finnish"), import("@orama/stopwords/finnish")),
  fr: () => both(import("@orama/stemmers/french"), import("@orama/stopwords/french")),
  it: () => both(import("@orama/stemmers/italian"), import("@orama/stopwords/italian")),
  nl: () => both(import("@orama/stemmers/dutch"), import("@orama/stopwords/dutch")),
  no: () => both(import("@orama/stemmers/norwegian"), import("@orama/stopwords/norwegian")),
  pt: () => both(import("@orama/stemmers/portuguese"), import("@orama/stopwords/portuguese")),
  ru: () => both(import("@orama/stemmers/russian"), import("@orama/stopwords/russian")),
  sv: () => both(import("@orama/stemmers/swedish"), import("@orama/stopwords/swedish")),
} as const satisfies Record<string, () => Promise<Language>>;

async function both(
  stems: Promise<{ stemmer(word: string): string }>,
  common: Promise<{ stopwords: string[] }>,
): Promise<Language> {
  const [{ stemmer }, { stopwords }] = await Promise.all([stems, common]);
  return { stemmer, stopwords };
}

export const stemmedLanguages = Object.keys(languages) as (keyof typeof languages)[];

/** Whether the stems of a language (a BCP 47 tag) are known. */
export const hasStems = (tag: string): boolean => stemmedLanguages.some((one) => one === tag.toLowerCase().split("-")[0]);

const plain = (word: string) => word.normalize("NFKC").toLowerCase().replace(/[’ʼ]/g, "'");

/** Splits texts of this language (a BCP 47 tag) into stems, without its most common words. Of other languages it takes the words as they are. */
export async function stemsOf(tag: string): Promise<(text: string) => string[]> {
  const [name = ""] = tag.toLowerCase().split("-");
  const known = stemmedLanguages.find((one) => one === name);
  const language: Language = known ? await languages[known]() : { stemmer: (word) => word, stopwords: [] };
  const common = new Set(language.stopwords.map(plain));
  const segmenter = new Intl.Segmenter(known ?? "en", { granularity: "word" });
  return (text) =>
    [...segmenter.segment(plain(text))]
      .filter(({ segment, isWordLike }) => isWordLike && !common.has(segment))
      .map(({ segment }) => language.stemmer(segment));
}
