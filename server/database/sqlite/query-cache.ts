import type { Value } from "../port.ts";

/** Rows kept in all, and of one answer. */
const maxRows = 1_000;
const maxRowsOfOne = 20;

/**
 * What was read since the last commit. Every change goes through this process, so until its next commit the same query has the same
 * answer: the key of each request and the page that is asked for again and again cost no statement. Rows are shared, hence frozen.
 */
export class QueryCache {
  #rows = 0;
  readonly #answers = new Map<string, unknown>();

  /** The answer to the statement named `query` with these values: as it was, or what `ask` finds now. */
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

  /** To be called right before each COMMIT, with nothing between. */
  clear(): void {
    this.#answers.clear();
    this.#rows = 0;
  }
}

function frozen(answer: unknown): unknown {
  if (Array.isArray(answer)) for (const row of answer) Object.freeze(row);
  return Object.freeze(answer);
}
