import { enumerated } from "./002-enumerations.ts";

/** Archives of rows leave out tables that are created for each database separately: the index is made again from what it indexes. */
export const derived = (sql: string) => ({ sqlite: sql, postgres: sql });

/**
 * The index of the search. A passage is some lines of a text; `passage` is JSON. Results come in the order of `seq`, so that the first
 * ones are found without looking at all. `search_words` has the words of each passage under its `seq`, and `search_slots` the slots whose
 * texts were indexed.
 */
export const search = {
  name: "023-search",
  statements: [
    derived(`CREATE TABLE search_passages (
      seq {int} PRIMARY KEY, source TEXT NOT NULL, source_id TEXT NOT NULL, slot_id TEXT NOT NULL, playtest_id TEXT NOT NULL, game_id TEXT NOT NULL,
      owner_id TEXT NOT NULL, passage TEXT NOT NULL) {strict}`),
    derived("CREATE INDEX search_passages_by_slot ON search_passages (slot_id, source, source_id)"),
    derived("CREATE INDEX search_passages_by_owner ON search_passages (owner_id)"),
    derived("CREATE TABLE search_slots (slot_id TEXT PRIMARY KEY) {strict}"),
    {
      sqlite: `CREATE VIRTUAL TABLE search_words USING fts5 (words, tokenize = "ascii tokenchars '=-'", columnsize = 0)`,
      postgres: "CREATE TABLE search_words (rowid BIGINT PRIMARY KEY, words TSVECTOR NOT NULL)",
    },
    {
      // What is deleted goes from the file too, not only from the results.
      sqlite: "INSERT INTO search_words (search_words, rank) VALUES ('secure-delete', 1)",
      // Without a list of pending entries, which each search would have to read.
      postgres: "CREATE INDEX search_words_by_word ON search_words USING GIN (words) WITH (fastupdate = off)",
    },
    ...enumerated("search_passages", { source: ["transcript", "takeaway", "notes", "moment"] }),
  ],
};
