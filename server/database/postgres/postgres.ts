import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { type Check, type Dialect, guardCheck, type Query, type Store, type StoreLog, StoreUnavailable } from "../port.ts";
import { postgresDialect } from "./dialect.ts";
import { isSilence, Queries, reason, rowTypes, Statements, sqlState, translate, unavailable } from "./queries.ts";
import { ReadWriteGate } from "./read-write-gate.ts";

export interface PostgresOptions {
  log?: StoreLog | undefined;
  connections?: number;
  /** 0 ≤ n < 1. Spreads the retries of transactions that collided. */
  random?: () => number;
  sleep?: (ms: number) => Promise<unknown>;
  /** A query that is not answered within so many milliseconds counts as lost, and so does its connection; 0: never. */
  silenceMs?: number;
}

const TRIES = 8;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 1000;
const RETRYABLE = new Set(["40001", "40P01", "55P03"]);
/** Read-only unless a transaction says otherwise, so `read` cannot write; nothing waits for a lock, or idles in a transaction, for long. */
const SESSION = "-c default_transaction_read_only=on -c lock_timeout=5s -c idle_in_transaction_session_timeout=30s";

const SILENCE_MS = 60_000;
/** After so long without a word the kernel asks whether the other side is still there. */
const KEEP_ALIVE_MS = 10_000;

/** Connects on first use: a database that is down is `StoreUnavailable` from each call. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  if (!/^postgres(ql)?:\/\//.test(url)) throw new Error("The database URL does not start with postgres://. Nothing was opened.");
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: url,
    options: SESSION,
    max: options.connections ?? 20,
    connectionTimeoutMillis: 5000,
    query_timeout: options.silenceMs ?? SILENCE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: rowTypes(pg.types),
  });
  const lost = (error: Error) =>
    options.log?.warn({ err: error }, "A PostgreSQL connection was lost; the next query opens another.");
  pool.on("error", lost);
  // A connection that dies between two queries of a transaction says so here and nowhere else; unheard, it would end the process.
  pool.on("connect", (client) => client.on("error", lost));
  return new PostgresStore(pool, options);
}

/** One connection whose queries all see the same moment, for long reads beside running servers. */
export async function openSnapshotClient(url: string): Promise<{ dialect: Dialect; query: Query; close(): Promise<void> }> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    connectionString: url,
    options: SESSION,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: rowTypes(pg.types),
  });
  // Unheard, a connection that dies between two queries would end the process; the next query says it.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  } catch (error) {
    // An open connection would keep the process from ending; that it cannot be closed well says nothing new.
    await client.end().catch(() => {});
    throw unavailable(error, { reading: true });
  }
  return {
    dialect: postgresDialect,
    query: new Queries(client, new Statements(), { transaction: true }),
    close: () => client.end(),
  };
}

/** A write that collided this often runs alone, so that a crowd of this process cannot starve it. */
const TRIES_TOGETHER = 2;

class PostgresStore implements Store {
  readonly dialect = postgresDialect;
  readonly shared = true;
  readonly #pool: Pool;
  readonly #random: () => number;
  readonly #sleep: (ms: number) => Promise<unknown>;
  readonly #statements = new Statements();
  readonly #reads: Query;
  readonly #gate = new ReadWriteGate();
  readonly #writing = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(pool: Pool, { random = () => randomInt(2 ** 32) / 2 ** 32, sleep = wait }: PostgresOptions) {
    this.#pool = pool;
    this.#random = random;
    this.#sleep = sleep;
    this.#reads = new Queries(pool, this.#statements, { transaction: false });
  }

  async read<T>(fn: (q: Query) => Promise<T>): Promise<T> {
    if (this.#closed) throw closing();
    return fn(this.#reads);
  }

  async write<T>(fn: (tx: Query) => Promise<T>): Promise<T> {
    if (this.#closed) throw closing();
    const done = this.#withRetries(fn);
    this.#writing.add(done);
    try {
      return await done;
    } finally {
      this.#writing.delete(done);
    }
  }

  async check({ thorough = false, now }: { thorough?: boolean; now?: number } = {}): Promise<Check[]> {
    try {
      return await this.write(async (tx) => [...(await facts(tx, now)), ...(thorough ? [await guardOf(tx)] : [])]);
    } catch (error) {
      return [{ name: "connection", ok: false, detail: reason(error) }];
    }
  }

  close(): Promise<void> {
    this.#closed ??= Promise.allSettled(this.#writing).then(() => this.#pool.end());
    return this.#closed;
  }

  async #withRetries<T>(fn: (tx: Query) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        const attempt = () => this.#attempt(fn);
        return await (tries <= TRIES_TOGETHER ? this.#gate.together(attempt) : this.#gate.alone(attempt));
      } catch (error) {
        if (!RETRYABLE.has(sqlState(error) ?? "")) throw error;
        if (tries === TRIES)
          throw new StoreUnavailable(`The change collided with others ${TRIES} times and was not saved. Try again in a moment.`, {
            cause: error,
          });
      }
      await this.#sleep(this.#random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1)));
    }
  }

  async #attempt<T>(fn: (tx: Query) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    const tx = new Queries(client, this.#statements, { transaction: true });
    try {
      const value = await inTransaction(client, tx, fn);
      client.release();
      return value;
    } catch (error) {
      // A silent connection would not answer this either; without it, the server rolls back.
      if (isSilence(error) || isSilence(tx.failure)) client.release(true);
      else await rollBack(client);
      throw error;
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw unavailable(error);
    }
  }
}

async function inTransaction<T>(client: PoolClient, tx: Queries, fn: (tx: Query) => Promise<T>): Promise<T> {
  try {
    await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE");
  } catch (error) {
    throw translate(error);
  }
  const value = await runBounded(tx, fn);
  try {
    await client.query("COMMIT");
  } catch (error) {
    throw afterCommit(error);
  }
  return value;
}

/** A collision inside `fn` counts even when `fn` turned it into another error, or into none. */
async function runBounded<T>(tx: Queries, fn: (tx: Query) => Promise<T>): Promise<T> {
  try {
    const value = await fn(tx);
    if (tx.failure !== undefined) throw tx.failure;
    return value;
  } catch (error) {
    throw RETRYABLE.has(sqlState(tx.failure) ?? "") ? tx.failure : error;
  } finally {
    tx.finished = true;
  }
}

/** Without the server's word that it rolled back (40003 says that even it does not know), the change may be durable. */
function afterCommit(error: unknown): unknown {
  const state = sqlState(error);
  const told = state !== undefined && state !== "40003" && !/^(08|57P|58)/.test(state);
  return told ? translate(error) : unavailable(error, { outcomeUnknown: true });
}

/** A connection that cannot even roll back is thrown away, and the server rolls back for it. */
async function rollBack(client: PoolClient): Promise<void> {
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    client.release(true);
  }
}

async function facts(tx: Query, now: number | undefined): Promise<Check[]> {
  const server = await tx.one<{ server_version: string }>("SHOW server_version");
  const isolation = await tx.one<{ transaction_isolation: string }>("SHOW transaction_isolation");
  const clock = await tx.one<{ ms: number }>("SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT) AS ms");
  const level = isolation?.transaction_isolation ?? "";
  const ahead = now === undefined || !clock ? 0 : clock.ms - now;
  return [
    { name: "server_version", ok: true, detail: server?.server_version ?? "" },
    { name: "isolation", ok: level === "serializable", detail: level },
    { name: "clock", ok: Math.abs(ahead) < 5000, detail: `${ahead} ms ahead of this machine` },
  ];
}

/** Postings are never changed or removed: this program's own account at the database may not. */
async function guardOf(tx: Query): Promise<Check> {
  const granted = await tx.all<{ privilege: string }>(
    `SELECT privilege_type AS privilege FROM information_schema.table_privileges WHERE table_schema = current_schema()
      AND table_name = 'ledger_postings' AND privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE') AND grantee = current_user`,
  );
  const list = granted.map(({ privilege }) => privilege).join(", ");
  return guardCheck(granted.length === 0, `this server's account at the database has ${list} on ledger_postings`);
}

const closing = () => new StoreUnavailable("The server is shutting down. Nothing was changed. Try again in a moment.");
