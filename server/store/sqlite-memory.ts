import type { Value } from "./db.ts";

/** Rows kept in all, and of one answer. */
const maxRows = 2_000;
const maxRowsOfOne = 20;

/**
 * What was read since the last commit. Every commit goes through this process, so until the next one the same query has the same
 * answer: pages that are asked for again and again, and the key of each request, cost no statement. Rows are shared, hence frozen.
 */
export class ReadMemory {
  readonly #version: () => number;
  #at = -1;
  #rows = 0;
  #answers = new Map<string, Map<string, unknown>>();

  /** `version` changes with every commit. */
  constructor(version: () => number) {
    this.#version = version;
  }

  recall<T>(sql: string, values: readonly Value[], ask: () => T): T {
    const known = this.#of(sql);
    const key = JSON.stringify(values);
    if (known.has(key)) return known.get(key) as T;
    const answer = ask();
    const rows = Array.isArray(answer) ? answer.length : 1;
    if (rows > maxRowsOfOne) return answer;
    known.set(key, frozen(answer));
    this.#rows += Math.max(rows, 1);
    return answer;
  }

  #of(sql: string): Map<string, unknown> {
    const version = this.#version();
    if (version !== this.#at || this.#rows >= maxRows) {
      this.#at = version;
      this.#rows = 0;
      this.#answers = new Map();
    }
    const known = this.#answers.get(sql);
    if (known) return known;
    const fresh = new Map<string, unknown>();
    this.#answers.set(sql, fresh);
    return fresh;
  }
}

function frozen(answer: unknown): unknown {
  if (Array.isArray(answer)) for (const row of answer) Object.freeze(row);
  return Object.freeze(answer);
}
