import type { FullText } from "../full-text.ts";

/** The text form of `tsvector` and `tsquery`, which PostgreSQL does not parse any further. Quoted, nothing in it is an operator. */
const quoted = (text: string) => `'${text}'`;

export const postgresFullText: FullText = {
  document: (tags, words) => [...tags.map(quoted), ...words.map((word, index) => `${quoted(word)}:${index + 1}`)].join(" "),
  matches: "search_words.words @@ CAST(? AS TSQUERY)",
  query: (tags, phrases) =>
    [...tags.map(quoted), ...phrases.map((phrase) => `(${phrase.map(quoted).join(" <-> ")})`)].join(" & "),
};
