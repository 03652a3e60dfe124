import type { CustomTypesConfig, Query } from "pg";
import type { Value } from "../port.ts";

/** A statement to send, and who waits for its result. */
export interface Statement {
  text: string;
  /** Absent where a name would not last until the next use. */
  name?: string;
  values: readonly Value[];
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface Result {
  rows: unknown[];
  /** How many rows were returned or changed. */
  count: number;
}

/** Sent by `client.query` and `pool.query` like a query of pg. */
export interface Batch {
  submit(connection: unknown): unknown;
  handleError(error: unknown): void;
}

/** The messages of pg's connection that a batch sends. */
interface Connection {
  parse(message: { text: string; name: string }): void;
  bind(message: { statement: string; values: unknown[] }): void;
  describe(message: { type: "P" }): void;
  execute(message: object): void;
  close(message: { type: "S"; name: string }): void;
  sync(): void;
}

interface Field {
  name: string;
  dataTypeID: number;
}

interface Column {
  name: string;
  parse(text: string): unknown;
}

/** The columns of the statements that a connection has prepared. They stay the same: PostgreSQL refuses a statement whose columns changed. */
const preparedOn = new WeakMap<Connection, Map<string, readonly Column[]>>();

function columnsOn(connection: Connection): Map<string, readonly Column[]> {
  const known = preparedOn.get(connection) ?? new Map<string, readonly Column[]>();
  preparedOn.set(connection, known);
  return known;
}

/** What passes for the statements of a batch. */
class Exchange {
  readonly #statements: readonly Statement[];
  readonly #types: CustomTypesConfig;
  readonly #results: (Result | { error: unknown })[] = [];
  #prepared = new Map<string, readonly Column[]>();
  #columns: readonly Column[] = [];
  #rows: unknown[] = [];
  #invalid: { error: unknown } | undefined;
  #ended = false;

  constructor(statements: readonly Statement[], types: CustomTypesConfig) {
    this.#statements = statements;
    this.#types = types;
  }

  send(connection: Connection): void {
    this.#prepared = columnsOn(connection);
    for (const statement of this.#statements) this.#sendOne(connection, statement);
    connection.sync();
    this.#expect();
  }

  described(fields: readonly Field[]): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#types.getTypeParser(dataTypeID, "text") as Column["parse"],
    }));
  }

  row(fields: readonly (string | null)[]): void {
    if (this.#invalid) return;
    try {
      this.#rows.push(rowOf(this.#columns, fields));
    } catch (error) {
      this.#invalid = { error };
    }
  }

  completed(tag: string): void {
    const { name } = this.#statements[this.#results.length]!;
    if (name !== undefined) this.#prepared.set(name, this.#columns);
    this.#results.push(this.#invalid ?? { rows: this.#rows, count: countIn(tag) });
    this.#expect();
  }

  failed(error: unknown): void {
    const statement = this.#statements[this.#results.length];
    // Whether it was prepared is not known, or it is no longer usable.
    if (statement?.name !== undefined) this.#prepared.delete(statement.name);
    // What fails after the last statement is the end of their implicit transaction.
    if (statement === undefined) this.#results.length = 0;
    this.end(error);
  }

  /** Hands out the results. Statements without one fail with `error`. */
  end(error: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const [index, { resolve, reject }] of this.#statements.entries()) {
      const result = this.#results[index] ?? { error };
      if ("error" in result) reject(result.error);
      else resolve(result);
    }
  }

  #sendOne(connection: Connection, { text, name = "", values }: Statement): void {
    const isPrepared = this.#prepared.has(name);
    // One of this name may be left of a batch that failed. It is no error to close one that does not exist.
    if (!isPrepared && name !== "") connection.close({ type: "S", name });
    if (!isPrepared) connection.parse({ text, name });
    connection.bind({ statement: name, values: values.map(wired) });
    if (!isPrepared) connection.describe({ type: "P" });
    connection.execute({});
  }

  /** Prepares for the reply to the next statement. */
  #expect(): void {
    const name = this.#statements[this.#results.length]?.name;
    this.#columns = (name !== undefined && this.#prepared.get(name)) || [];
    this.#rows = [];
    this.#invalid = undefined;
  }
}

/**
 * The class of batches: statements that are sent and answered together, with one Sync at their end instead of one each, and without asking
 * for the columns of a statement that the connection has prepared before. When a statement fails, PostgreSQL skips those behind it, which
 * fail with the same error.
 *
 * pg takes only its own queries when it pipelines, so a batch is one of them.
 */
export function batchClass(PgQuery: typeof Query, types: CustomTypesConfig): new (statements: readonly Statement[]) => Batch {
  return class extends (PgQuery as unknown as new (config: object) => object) implements Batch {
    /** Set by pg. It must be called at the end. */
    callback: ((error: unknown) => void) | undefined;
    readonly #exchange: Exchange;

    constructor(statements: readonly Statement[]) {
      super({ text: "" });
      this.#exchange = new Exchange(statements, types);
    }

    submit(connection: unknown): null {
      this.#exchange.send(connection as Connection);
      return null;
    }

    handleRowDescription({ fields }: { fields: readonly Field[] }): void {
      this.#exchange.described(fields);
    }

    handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
      this.#exchange.row(fields);
    }

    handleCommandComplete({ text }: { text: string }): void {
      this.#exchange.completed(text);
    }

    handleEmptyQuery(): void {
      this.#exchange.completed("");
    }

    handleReadyForQuery(): void {
      this.#exchange.end(new Error("PostgreSQL left out the reply to a statement."));
      this.callback?.(null);
    }

    handleError(error: unknown): void {
      this.#exchange.failed(error);
      this.callback?.(error);
    }
  };
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index++) {
    const text = fields[index] as string | null;
    row[columns[index]!.name] = text === null ? null : columns[index]!.parse(text);
  }
  return row;
}

/** The number at the end of a command's tag, such as `UPDATE 2`. */
const countIn = (tag: string) => Number(tag.slice(tag.lastIndexOf(" ") + 1)) || 0;

/** A value as pg sends it. */
function wired(value: Value): string | Buffer | null {
  if (value === null || typeof value === "string") return value;
  return typeof value === "number" ? String(value) : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
