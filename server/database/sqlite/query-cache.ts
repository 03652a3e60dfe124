import type { Value } from "../port.ts";

/** The maximum number of cached rows in total, and of one result. */
const maxRows = 1_000;
const maxRowsOfOne = 20;

/**
 * Caches query results since the last commit. All changes go through this process, so until its next commit the same query has the same
 * result. This saves the statements for API keys and for pages that are requested repeatedly. Rows are shared and therefore frozen.
 */
export class QueryCache {
  #rows = 0;
  readonly #answers = new Map<string, unknown>();

  /** The cached result of the statement named `query` with these values, or the result of `ask`. */
  recall<T>(query: string, values: readonly Value[], ask: () => T): T {
    const key = query + JSON.stringify(values);
    const known = this.#answers.get(key);
    if (known !== undefined || this.#answers.has(key)) return known as T;
    const answer = ask();
    const rows = Array.isArray(answer) ? Math.max(answer.length, 1) : 1;
    if (rows > maxRowsOfOne) return answer;
    if (this.#rows >= maxRows) this.clear();
    this.#answers.set(key, frozen(answer));
    this.#rows += rows;
    return answer;
  }

  /** Clears the cache. Must be called right before each COMMIT. */
  clear(): void {
    this.#answers.clear();
    this.#rows = 0;
  }
}

function frozen(answer: unknown): unknown {
  if (Array.isArray(answer)) for (const row of answer) Object.freeze(row);
  return Object.freeze(answer);
}
