/**
 * A rule that the server keeps, with an edit of the server that breaks it and the test file that must then fail. The
 * texts to replace stand once in their file: a row whose text is gone fails, so the rows cannot rot unseen.
 */
export interface Mutant {
  rule: string;
  /** Under `test/`. */
  test: string;
  edits: readonly Edit[];
  /** Only the tests whose name matches; where there is one per database, those of SQLite unless said otherwise. */
  only?: string;
}

export type Edit = readonly [file: string, from: string, to: string];
