import type { PoolClient } from "pg";
import type { Batch, Result, Statement } from "./batch.ts";
import { isOutdated } from "./errors.ts";

/** The connections that reads use. */
interface Connections {
  readonly pool: { connect(): Promise<PoolClient> };
  /** Whether each transaction may have another session. */
  readonly pooled: boolean;
  batch(statements: readonly Statement[]): Batch;
}

/** Statements on one connection, so that the last one does not wait long. */
const statementsAtOnce = 16;
/** A statement that took longer (ms) made those behind it wait, so that it is sent alone from then on, so many times. */
const longMs = 20;
const timesAlone = 100;

/**
 * Sends the reads that requests make at the same time over one connection, in one piece. A connection for each would take PostgreSQL and
 * this process more time to wake up for than most statements take. Each is a transaction of its own: when it fails, those behind it do not.
 */
export class SharedReads {
  readonly #connections: Connections;
  /** How many more times a statement that took long is sent alone, by its text. */
  readonly #alone = new Map<string, number>();
  #waiting: Statement[] = [];
  #scheduled = false;
  /** Connections asked for, and not received yet. */
  #asked = 0;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  add(statement: Statement): void {
    if (this.#isSentAlone(statement)) {
      const alone = [statement];
      this.#ask(() => alone);
      return;
    }
    this.#waiting.push(statement);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#send());
  }

  /** Whatever else waits by the time that a connection is free goes along. */
  #send(): void {
    this.#scheduled = false;
    for (let missing = Math.ceil(this.#waiting.length / statementsAtOnce) - this.#asked; missing > 0; missing--) {
      this.#asked++;
      this.#ask(() => {
        this.#asked--;
        return this.#waiting.splice(0, statementsAtOnce);
      });
    }
  }

  /** A pooler may not expect a transaction behind another one. */
  #isSentAlone({ text }: Statement): boolean {
    if (this.#connections.pooled) return true;
    const times = this.#alone.get(text);
    if (times === undefined) return false;
    if (times > 1) this.#alone.set(text, times - 1);
    else this.#alone.delete(text);
    return true;
  }

  #ask(take: () => readonly Statement[]): void {
    this.#connections.pool.connect().then(
      (client) => this.#exchange(client, take()),
      (error: unknown) => {
        for (const { reject } of take()) reject(error);
      },
    );
  }

  async #exchange(client: PoolClient, statements: readonly Statement[]): Promise<void> {
    let broken = false;
    // When the one before was answered. How long the first one took is not known: its reply travelled too.
    let before: number | undefined;
    const answered = ({ text, resolve }: Statement, result: Result) => {
      const now = performance.now();
      if (before !== undefined && now - before > longMs) this.#alone.set(text, timesAlone);
      before = now;
      resolve(result);
    };
    const failed = (statement: Statement, error: unknown) => {
      broken = true;
      if (isOutdated(error)) this.add(statement);
      else statement.reject(error);
    };
    const reply = (statement: Statement) =>
      new Promise<Result>((resolve, reject) => {
        client.query(this.#connections.batch([{ ...statement, resolve, reject }]) as never);
      });
    await Promise.all(
      statements.map((statement) =>
        reply(statement).then(
          (result) => answered(statement, result),
          (error: unknown) => failed(statement, error),
        ),
      ),
    );
    client.release(broken);
  }
}
