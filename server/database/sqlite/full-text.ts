import type { FullText } from "../full-text.ts";

/** FTS5. Quoted, nothing in a query is an operator: its tokenizer splits at spaces, and words contain none. */
const quoted = (text: string) => `"${text}"`;

export const sqliteFullText: FullText = {
  document: (tags, words) => [...tags, ...words].join(" "),
  first: (query, after, limit) => ({
    sql: "SELECT rowid FROM search_words WHERE search_words MATCH ? AND rowid > ? ORDER BY rowid LIMIT CAST(? AS INTEGER)",
    values: [query, after, limit],
  }),
  query: (tags, phrases) => [...tags, ...phrases.map((phrase) => phrase.join(" "))].map(quoted).join(" AND "),
};
