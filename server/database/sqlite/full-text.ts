import type { FullText } from "../full-text.ts";

/** FTS5. Quoted, nothing in a query is an operator: its tokenizer splits at spaces, and words contain none. */
const quoted = (text: string) => `"${text}"`;

/** A phrase of FTS5 has one form of each word: all combinations of them. */
const written = (phrase: readonly (readonly string[])[]): string[] =>
  phrase.reduce<string[]>((starts, forms) => starts.flatMap((start) => forms.map((form) => `${start} ${form}`.trim())), [""]);

const anyOf = (phrase: readonly (readonly string[])[]) => `(${written(phrase).map(quoted).join(" OR ")})`;

export const sqliteFullText: FullText = {
  document: (tags, words) => [...tags, ...words].join(" "),
  first: (query, after, limit) => ({
    sql: "SELECT rowid FROM search_words WHERE search_words MATCH ? AND rowid > ? ORDER BY rowid LIMIT CAST(? AS INTEGER)",
    values: [query, after, limit],
  }),
  query: (tags, phrases) => [...tags.map(quoted), ...phrases.map(anyOf)].join(" AND "),
};
