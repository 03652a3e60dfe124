/**
 * A column with a fixed set of values, or null if the column allows it: a `CHECK` named `<table>_<column>_check`. A later migration that changes
 * the values drops that constraint first (`ALTER TABLE … DROP CONSTRAINT …`, on both databases).
 */
export interface Enumerated {
  table: string;
  column: string;
  values: readonly string[];
}
