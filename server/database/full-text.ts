/** How a database indexes words, in the table `search_words`: `rowid` and `words`. */
export interface FullText {
  /**
   * The value of `search_words.words` for these tags and these words, in their order. Words consist of letters, digits and marks; tags
   * such as `owner=…` contain an equals sign, and may contain hyphens, so that no word is equal to one.
   */
  document(tags: readonly string[], words: readonly string[]): string;
  /** A query for the `rowid` of the first `limit` documents that match `query`, with a `rowid` above `after`, in the order of `rowid`. */
  first(query: string, after: number, limit: number): { sql: string; values: (string | number)[] };
  /** The value that matches documents with all these tags and all these phrases. Any of its forms may stand for a word of a phrase. */
  query(tags: readonly string[], phrases: readonly (readonly (readonly string[])[])[]): string;
}
