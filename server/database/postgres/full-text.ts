import type { FullText } from "../full-text.ts";

/** The text form of `tsvector` and `tsquery`, which PostgreSQL does not parse any further. Quoted, nothing in it is an operator. */
const quoted = (text: string) => `'${text}'`;

const anyOf = (forms: readonly string[]) => `(${forms.map(quoted).join(" | ")})`;

/**
 * How many documents are looked through in order before the index is asked. It gives its matches in no order, so it has to find all of
 * them, which takes long for frequent words: those are among the first documents. PostgreSQL cannot tell which is faster, because it does
 * not know how frequent most words are.
 */
const near = 2000;

const firstMatches = `WITH asked AS (SELECT CAST(? AS TSQUERY) AS query, CAST(? AS BIGINT) AS after, CAST(? AS BIGINT) AS most),
  nearest AS MATERIALIZED (
    SELECT rowid FROM (SELECT rowid, words FROM search_words WHERE rowid > (SELECT after FROM asked) ORDER BY rowid LIMIT ${near}) newest
      WHERE words @@ (SELECT query FROM asked) ORDER BY rowid LIMIT (SELECT most FROM asked)),
  others AS MATERIALIZED (
    SELECT rowid FROM search_words WHERE (SELECT COUNT(*) FROM nearest) < (SELECT most FROM asked)
      AND words @@ (SELECT query FROM asked) AND rowid + 0 > (SELECT after FROM asked))
  SELECT rowid FROM nearest UNION SELECT rowid FROM others ORDER BY rowid LIMIT (SELECT most FROM asked)`;

export const postgresFullText: FullText = {
  document: (tags, words) => [...tags.map(quoted), ...words.map((word, index) => `${quoted(word)}:${index + 1}`)].join(" "),
  first: (query, after, limit) => ({ sql: firstMatches, values: [query, after, limit] }),
  query: (tags, phrases) => [...tags.map(quoted), ...phrases.map((phrase) => `(${phrase.map(anyOf).join(" <-> ")})`)].join(" & "),
};
