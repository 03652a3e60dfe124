import type { Value } from "../port.ts";

/** How much each of two generations holds (bytes, roughly): the keys, accounts and games of some 10,000 active owners. */
const maxBytes = 16 * 2 ** 20;
/** What an entry, a row and a value take beside their text. */
const overhead = { entry: 200, row: 64, value: 16 };
/** The maximum number of rows of one result. */
const maxRows = 20;

/** A table as the cache sees it. */
export interface Table {
  /** How many commits changed it, as far as the cache has to know. */
  commits: number;
  /** Whether the open transaction changed it. */
  changed: boolean;
}

interface Answer {
  value: unknown;
  bytes: number;
  /** The commits of the tables it was read from, when it was read. */
  commits: number;
}

/**
 * Caches query results until a commit changes a table that they were read from. All changes go through this process, so until then the same
 * query has the same result. This saves the statements for API keys, accounts and games, which are read with almost every request and
 * change rarely. Rows are shared and therefore frozen. What was not asked for while a generation of other results was is forgotten.
 */
export class QueryCache {
  #bytes = 0;
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
    const bytes = sizeOf(value);
    if (bytes !== undefined) this.#keep(key, { value: frozen(value), bytes: bytes + key.length, commits });
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
    if (this.#bytes >= maxBytes) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#bytes = 0;
    }
    this.#recent.set(key, answer);
    this.#bytes += answer.bytes;
  }
}

/** A text of its own for each list of values. JSON of a list begins with a bracket, and most are one text, which needs no JSON. */
const textOf = (values: readonly Value[]) =>
  values.length === 1 && typeof values[0] === "string" ? `"${values[0]}` : JSON.stringify(values);

/** About how much a result takes (bytes). Undefined if it is too large to keep: many rows, or files such as covers. */
function sizeOf(value: unknown): number | undefined {
  const rows: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (rows.length > maxRows) return undefined;
  let bytes = overhead.entry;
  for (const row of rows) {
    bytes += overhead.row;
    for (const field of Object.values(row ?? {})) {
      if (field instanceof Uint8Array) return undefined;
      bytes += overhead.value + (typeof field === "string" ? field.length : 0);
    }
  }
  return bytes;
}

function frozen(answer: unknown): unknown {
  if (Array.isArray(answer)) for (const row of answer) Object.freeze(row);
  return Object.freeze(answer);
}
