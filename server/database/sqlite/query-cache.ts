import type { Value } from "../port.ts";

/** The maximum number of cached rows in each generation, and of one result. */
const maxRows = 1_000;
const maxRowsOfOne = 20;

/** A table as the cache sees it. */
export interface Table {
  /** How many commits changed it, as far as the cache has to know. */
  commits: number;
  /** Whether the open transaction changed it. */
  changed: boolean;
}

interface Answer {
  value: unknown;
  rows: number;
  /** The commits of the tables it was read from, when it was read. */
  commits: number;
}

/**
 * Caches query results until a commit changes a table that they were read from. All changes go through this process, so until then the same
 * query has the same result. This saves the statements for API keys, accounts and games, which are read with almost every request and
 * change rarely. Rows are shared and therefore frozen. What was not asked for while as many other rows were is forgotten.
 */
export class QueryCache {
  #rows = 0;
  #recent = new Map<string, Answer>();
  #older = new Map<string, Answer>();
  readonly #tables = new Map<string, Table>();
  /** Whether the open transaction may have changed any table. */
  #allChanged = false;

  table(name: string): Table {
    const known = this.#tables.get(name);
    if (known) return known;
    const table = { commits: 0, changed: this.#allChanged };
    this.#tables.set(name, table);
    return table;
  }

  /** The cached result of the statement named `query`, which reads `tables`, with these values, or the result of `ask`. */
  recall<T>(query: string, values: readonly Value[], tables: readonly Table[], ask: () => T): T {
    const key = query + textOf(values);
    let commits = 0;
    for (const table of tables) commits += table.commits;
    const recent = this.#recent.get(key);
    const known = recent ?? this.#older.get(key);
    if (known?.commits === commits) {
      if (!recent) this.#keep(key, known);
      return known.value as T;
    }
    const value = ask();
    const rows = Array.isArray(value) ? Math.max(value.length, 1) : 1;
    if (rows <= maxRowsOfOne && !hasBytes(value)) this.#keep(key, { value: frozen(value), rows, commits });
    return value;
  }

  /** Notes that the open transaction changes these tables, or undefined: that it may change any. */
  changing(tables: readonly Table[] | undefined): void {
    this.#allChanged ||= tables === undefined;
    for (const table of tables ?? this.#tables.values()) table.changed = true;
  }

  /** Forgets what was read from tables that the transaction changed. Must be called right before its COMMIT. */
  committing(): void {
    this.#allChanged = false;
    for (const table of this.#tables.values()) {
      if (!table.changed) continue;
      table.changed = false;
      table.commits++;
    }
  }

  #keep(key: string, answer: Answer): void {
    if (this.#rows >= maxRows) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#rows = 0;
    }
    this.#recent.set(key, answer);
    this.#rows += answer.rows;
  }
}

/** A text of its own for each list of values. JSON of a list begins with a bracket, and most are one text, which needs no JSON. */
const textOf = (values: readonly Value[]) =>
  values.length === 1 && typeof values[0] === "string" ? `"${values[0]}` : JSON.stringify(values);

/** Rows with files, such as covers, are too large to keep. */
function hasBytes(value: unknown): boolean {
  const row: unknown = Array.isArray(value) ? value[0] : value;
  return typeof row === "object" && row !== null && Object.values(row).some((field) => field instanceof Uint8Array);
}

function frozen(answer: unknown): unknown {
  if (Array.isArray(answer)) for (const row of answer) Object.freeze(row);
  return Object.freeze(answer);
}
