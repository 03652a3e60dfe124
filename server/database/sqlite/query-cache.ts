import type { Value } from "../port.ts";

/** Rows kept in all, and of one answer. */
const maxRows = 2_000;
const maxRowsOfOne = 20;

/** A statement as far as the memory cares: its text, and the tables it reads or writes. */
export interface Text {
  sql: string;
  tables: readonly string[];
}

interface Answers {
  tables: readonly string[];
  rows: number;
  byValues: Map<string, unknown>;
}

/**
 * What was read of tables that did not change since. Every change goes through this process, so until the commit of the next one to
 * these tables the same query has the same answer: the key of each request, the game that is played, the page that is asked for
 * again and again cost no statement. Rows are shared, hence frozen.
 */
export class ReadMemory {
  #rows = 0;
  readonly #answers = new Map<string, Answers>();
  /** Tables written by the transaction that is under way; all of them where it changed the schema. */
  readonly #changed = new Set<string>();
  #allChanged = false;

  /**
   * For readers of what is committed, and for the transaction itself (`inside`), which also sees what it wrote. `what` tells apart the
   * answers that one text can have: its first row, or all of them.
   */
  recall<T>(text: Text, values: readonly Value[], ask: () => T, { inside = false, what = "" } = {}): T {
    if (text.tables.length === 0 || (inside && this.#isChanged(text))) return ask();
    const known = this.#of(text);
    const key = what + JSON.stringify(values);
    if (known.byValues.has(key)) return known.byValues.get(key) as T;
    const answer = ask();
    const rows = Array.isArray(answer) ? Math.max(answer.length, 1) : 1;
    if (rows > maxRowsOfOne) return answer;
    known.byValues.set(key, frozen(answer));
    known.rows += rows;
    this.#rows += rows;
    return answer;
  }

  /** The transaction under way writes to the tables of this text. */
  write({ sql, tables }: Text): void {
    if (!/^\s*(INSERT|UPDATE|DELETE)\b/.test(sql)) this.#allChanged = true;
    for (const table of tables) this.#changed.add(table);
  }

  /** Forgets what it wrote to: to be called right before its COMMIT, with nothing between. */
  forget(): void {
    for (const [sql, text] of this.#answers) if (this.#isChanged(text)) this.#drop(sql, text);
    this.#changed.clear();
    this.#allChanged = false;
  }

  #isChanged({ tables }: Pick<Text, "tables">): boolean {
    return this.#allChanged || tables.some((table) => this.#changed.has(table));
  }

  #drop(sql: string, { rows }: Answers): void {
    this.#rows -= rows;
    this.#answers.delete(sql);
  }

  #of({ sql, tables }: Text): Answers {
    if (this.#rows >= maxRows) {
      this.#rows = 0;
      this.#answers.clear();
    }
    const known = this.#answers.get(sql);
    if (known) return known;
    const fresh = { tables, rows: 0, byValues: new Map<string, unknown>() };
    this.#answers.set(sql, fresh);
    return fresh;
  }
}

function frozen(answer: unknown): unknown {
  if (Array.isArray(answer)) for (const row of answer) Object.freeze(row);
  return Object.freeze(answer);
}

/** The tables a text reads or writes. They are joined by JOIN, never by a comma, so that each stands behind one of these words. */
export const tablesIn = (sql: string): readonly string[] => [
  ...new Set([...sql.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)/g)].map(([, table]) => table!)),
];
