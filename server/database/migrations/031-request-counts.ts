/**
 * How many requests of a caller were counted, by a keyed hash of the key, account or address: several processes limit them together.
 * The number only grows; a row is removed when its caller has sent nothing for a while. `counted_at` (ms) has no index, so that counting
 * does not write one.
 */
export const requestCounts = {
  name: "031-request-counts",
  statements: [
    "CREATE TABLE request_counts (caller TEXT PRIMARY KEY, counted {int} NOT NULL, counted_at {int} NOT NULL) {strict}",
  ],
};
