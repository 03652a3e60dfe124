import { enumerated } from "./002-enumerations.ts";
import { derived, search } from "./023-search.ts";

/**
 * The words of each owner's texts, by which a search finds other forms of its words, and names as what is found. `uses` says how often a
 * word stands in indexed passages; the sum of an owner is that of `search_passages.word_count`. Words are bytes, which every database
 * sorts alike. The index is emptied: a server fills it when it starts.
 */
export const searchWords = {
  name: "062-search-words",
  statements: [
    derived("DELETE FROM search_slots"),
    derived("DELETE FROM search_passages"),
    derived("DROP TABLE search_words"),
    ...search.statements.filter((one) => "sqlite" in one && /search_words/.test(one.sqlite)),
    derived("ALTER TABLE search_passages ADD COLUMN word_count {int} NOT NULL DEFAULT 0"),
    derived("CREATE INDEX search_passages_by_name ON search_passages (source, source_id)"),
    derived(`CREATE TABLE search_vocabulary (
      owner_id TEXT NOT NULL, word {blob} NOT NULL, spelling TEXT NOT NULL, backward {blob} NOT NULL, stems TEXT NOT NULL, uses {int} NOT NULL,
      PRIMARY KEY (owner_id, word, spelling)) {strict}`),
    derived("CREATE INDEX search_vocabulary_backward ON search_vocabulary (owner_id, backward)"),
    "ALTER TABLE search_passages DROP CONSTRAINT search_passages_source_check",
    ...enumerated("search_passages", {
      source: ["transcript", "takeaway", "notes", "moment", "finding", "game", "playtest", "playtester"],
    }),
  ],
};
