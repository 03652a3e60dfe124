import type { ClientBase, CustomTypesConfig } from "pg";
import { assertReadable, assertStorable, type Query, StoreUnavailable, type Value } from "../port.ts";
import type { Batch, Result, Statement } from "./batch.ts";
import { translate } from "./errors.ts";
import { SharedReads } from "./shared-reads.ts";

const STATEMENTS_KEPT = 1000;

interface Prepared {
  text: string;
  name?: string;
}

/** What queries tell about the server behind their connection. */
interface Server {
  /** Whether each transaction may have another session, in which no named statement is prepared. */
  readonly pooled: boolean;
  batch(statements: readonly Statement[]): Batch;
  replied(): void;
  /** The server is not available. */
  failed(): void;
}

/** Translates `?` to `$1`, `$2`, … once per SQL text. Each text is a named statement, which every connection prepares once. */
class Statements {
  readonly #known = new Map<string, Prepared>();

  get(sql: string, { pooled }: Server): Prepared {
    const { text, name } = this.#prepared(sql);
    return pooled || name === undefined ? { text } : { text, name };
  }

  #prepared(sql: string): Prepared {
    const known = this.#known.get(sql);
    if (known) return known;
    const text = numbered(sql);
    if (this.#known.size >= STATEMENTS_KEPT) return { text };
    const prepared = { text, name: `q${this.#known.size}` };
    this.#known.set(sql, prepared);
    return prepared;
  }
}

const statements = new Statements();

/** A `?` inside a string, a quoted name or a comment is kept. */
export function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/'[^']*'|"[^"]*"|--[^\n]*|\?/g, (part) => (part === "?" ? `$${++count}` : part));
}

/**
 * The queries of a transaction, which has a connection of its own, or of reads: then a failed query has no effect on others. Those that a
 * transaction makes before it waits for a result are sent together.
 */
export class Queries implements Query {
  failure: unknown;
  #finished = false;
  #waiting: Statement[] = [];
  readonly #sent: Promise<unknown>[] = [];
  readonly #client: ClientBase | undefined;
  readonly #reads: SharedReads | undefined;
  readonly #server: Server;

  constructor(over: ClientBase | SharedReads, server: Server) {
    if (over instanceof SharedReads) this.#reads = over;
    else this.#client = over;
    this.#server = server;
  }

  async one<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    return (await this.#query(sql, values)).rows[0] as T | undefined;
  }

  async all<T>(sql: string, ...values: Value[]): Promise<T[]> {
    return (await this.#query(sql, values)).rows as T[];
  }

  async run(sql: string, ...values: Value[]): Promise<number> {
    return (await this.#query(sql, values)).count;
  }

  send(sql: string, ...values: Value[]): void {
    if (this.#reads) throw new Error("A statement was sent outside of a write. It was not run.");
    this.#keep(this.#query(sql, values));
  }

  /** An update that changes nothing, because a serializable write would not notice a row that was only selected `FOR UPDATE`. */
  lock(table: string, condition: string, ...values: Value[]): void {
    this.send(`UPDATE ${table} SET created_at = created_at WHERE ${condition}`, ...values);
  }

  locked<T>(table: string, id: string): Promise<T | undefined> {
    return this.one(`UPDATE ${table} SET created_at = created_at WHERE id = ? RETURNING *`, id);
  }

  held<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    return this.one(`${sql} FOR KEY SHARE`, ...values);
  }

  alone<T>(sql: string, ...values: Value[]): Promise<T | undefined> {
    return this.one(`${sql} FOR UPDATE NOWAIT`, ...values);
  }

  /** Begins the transaction. Needs no waiting: if it fails, later statements write nothing, because sessions are read-only outside a transaction. */
  begin(text: string): Promise<unknown> {
    // Before what pg does at that time: then the first statements leave with this one.
    process.nextTick(() => this.#flush());
    const begun = this.#client!.query(text).catch((error: unknown) => {
      throw this.#fail(error);
    });
    this.#keep(begun);
    return begun;
  }

  /** Sends what was not sent yet, and refuses later queries. */
  finish(): void {
    this.#finished = true;
    this.#flush();
  }

  /** Waits for the replies to everything that was sent. `failure` has the first error. */
  async settled(): Promise<void> {
    await Promise.all(this.#sent.splice(0));
  }

  /** Its error is in `failure`, which the next query or the commit throws. */
  #keep(reply: Promise<unknown>): void {
    this.#sent.push(reply.catch(() => {}));
  }

  async #query(sql: string, values: Value[]): Promise<Result> {
    if (this.#finished)
      throw new Error("This transaction is over: the query was not run. Await every query inside the write callback.");
    if (this.failure !== undefined) throw this.failure;
    try {
      assertStorable(values);
      const result = await this.#sendLater({ ...statements.get(sql, this.#server), values });
      this.#server.replied();
      return result;
    } catch (error) {
      throw this.#fail(error);
    }
  }

  #sendLater(statement: Pick<Statement, "text" | "name" | "values">): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#reads) return this.#reads.add({ ...statement, resolve, reject });
      this.#waiting.push({ ...statement, resolve, reject });
      if (this.#waiting.length === 1) process.nextTick(() => this.#flush());
    });
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const batch = this.#server.batch(this.#waiting);
    this.#waiting = [];
    this.#client!.query(batch as never);
  }

  #fail(error: unknown): unknown {
    const translated = translate(error, { reading: this.#reads !== undefined });
    if (!this.#reads) this.failure ??= translated;
    if (translated instanceof StoreUnavailable) this.#server.failed();
    return translated;
  }
}

/** Returns 64-bit integers and sums as numbers and booleans as 0 and 1, like SQLite. */
export function rowTypes(types: { getTypeParser: CustomTypesConfig["getTypeParser"] }): CustomTypesConfig {
  const own = new Map<number, (text: string) => unknown>([
    [16, (text) => (text === "t" ? 1 : 0)],
    [20, (text) => assertReadable("of 64 bits", Number(text))],
    [1700, numeric],
  ]);
  return { getTypeParser: (oid, format) => own.get(oid) ?? types.getTypeParser(oid, format) };
}

const numeric = (text: string) => (text.includes(".") ? Number(text) : assertReadable("of a sum", Number(text)));
