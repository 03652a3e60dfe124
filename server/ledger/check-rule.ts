/** One of the ledger's fourteen invariants (see README.md), with a query for violations: rows of `id` and `detail`. */
export interface Rule {
  name: string;
  promise: string;
  /** For the operator: what a violation may mean and what to do. */
  help: string;
  sql: string;
}
