import type { FullText } from "../full-text.ts";

/** FTS5. Quoted, nothing in a query is an operator: its tokenizer splits at spaces, and words contain none. */
const quoted = (text: string) => `"${text}"`;

export const sqliteFullText: FullText = {
  document: (tags, words) => [...tags, ...words].join(" "),
  matches: "search_words MATCH ?",
  query: (tags, phrases) => [...tags, ...phrases.map((phrase) => phrase.join(" "))].map(quoted).join(" AND "),
};
