import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { PoolClient } from "pg";
import {
  appendOnlyTables,
  type Check,
  type Define,
  type Dialect,
  guardCheck,
  helpUnless,
  type Isolation,
  LostRace,
  type Query,
  type ReadOptions,
  type Store,
  StoreUnavailable,
  type WriteOptions,
} from "../port.ts";
import { type ConnectionOptions, Connections } from "./connections.ts";
import { postgresDialect } from "./dialect.ts";
import { isOutdated, isRetryable, isTimeout, reason, sqlState, translate, unavailable } from "./errors.ts";
import { Queries } from "./queries.ts";
import { Queues } from "./queues.ts";
import { ReadWriteGate } from "./read-write-gate.ts";
import { Replica } from "./replica.ts";
import { SharedReads } from "./shared-reads.ts";
import { SharedTransactions } from "./shared-transactions.ts";

export interface PostgresOptions extends ConnectionOptions {
  /** A random number, 0 ≤ n < 1. Spreads the retries of transactions that collided. */
  random?: () => number;
  sleep?: (ms: number) => Promise<unknown>;
  /** The URL of a standby for reads that may use one. */
  readUrl?: string | undefined;
}

/** With the pauses between them, about five seconds: on a machine with much to do, each try takes longer too. */
const TRIES = 16;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 1000;

/** Asks the hosts of the URL which one can be written. While the database is down, it opens all the same, and each call throws StoreUnavailable. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Store> {
  if (!/^postgres(ql)?:\/\//.test(url)) throw new Error("The database URL does not start with postgres://. Nothing was opened.");
  const connections = await Connections.open(url, options);
  const reads = new Queries(new SharedReads(connections), connections);
  if (options.readUrl === undefined) return new PostgresStore(connections, reads, undefined, options);
  try {
    return new PostgresStore(connections, reads, await Replica.open(options.readUrl, reads, options), options);
  } catch (error) {
    await connections.close();
    throw error;
  }
}

/** A connection whose queries all see the same snapshot, for long reads while servers are running. */
export async function openSnapshotClient(url: string): Promise<{ dialect: Dialect; query: Query; close(): Promise<void> }> {
  const connections = await Connections.open(url, { silenceMs: 0 });
  try {
    const client = await connections.connect();
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const close = async () => {
      client.release(true);
      await connections.close();
    };
    return { dialect: postgresDialect, query: new Queries(client, connections), close };
  } catch (error) {
    await connections.close();
    throw unavailable(error, { reading: true });
  }
}

/**
 * A serializable write that conflicted this often runs while no other serializable write of this process does, so that they cannot make
 * it fail again. Writes with row locks do not wait for it.
 */
const CONCURRENT_TRIES = 2;

/**
 * How long (ms) writes that share a transaction wait for the lock of a row. When another process holds it longer, each write runs alone, and
 * only the one that needs the row waits on. Two processes that write the same rows hold them for some ten milliseconds.
 */
const sharedLockMs = 500;

const ISOLATION: Record<Isolation, string> = { serializable: "SERIALIZABLE", rows: "READ COMMITTED" };

class PostgresStore implements Store {
  readonly dialect = postgresDialect;
  readonly shared = true;
  readonly #connections: Connections;
  readonly #random: () => number;
  readonly #sleep: (ms: number) => Promise<unknown>;
  readonly #reads: Query;
  readonly #replica: Replica | undefined;
  readonly #gate = new ReadWriteGate();
  readonly #queues = new Queues();
  readonly #shared = new SharedTransactions({
    once: (fn) => this.#attempt(fn, "rows", sharedLockMs),
    alone: (id, fn) => this.#queues.run(id, () => this.#withRetries(() => this.#attempt(fn, "rows"), "rows")),
  });
  readonly #running = new Set<Promise<unknown>>();
  #closed: Promise<void> | undefined;

  constructor(
    connections: Connections,
    reads: Query,
    replica: Replica | undefined,
    { random = () => randomInt(2 ** 32) / 2 ** 32, sleep = wait }: PostgresOptions,
  ) {
    this.#connections = connections;
    this.#random = random;
    this.#sleep = sleep;
    this.#reads = reads;
    this.#replica = replica;
  }

  async read<T>(fn: (q: Query) => Promise<T>, { replica = false }: ReadOptions = {}): Promise<T> {
    if (this.#closed) throw closing();
    this.#connections.requireAnswers();
    return this.#tracked(replica && this.#replica ? this.#replica.read(fn) : fn(this.#reads));
  }

  numbers() {
    const { totalCount, idleCount, waitingCount } = this.#connections.pool;
    return { connections: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async write<T>(fn: (tx: Query) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    if (this.#closed) throw closing();
    return this.#tracked(this.#write(fn, options));
  }

  /** Closing waits for it. */
  async #tracked<T>(done: Promise<T>): Promise<T> {
    this.#running.add(done);
    try {
      return await done;
    } finally {
      this.#running.delete(done);
    }
  }

  async separateDefinitions(): Promise<Define | undefined> {
    const { version } = (await this.read((q) => q.one<{ version: string }>("SELECT version() AS version")))!;
    return withoutUndo.test(version) ? (sql) => this.#withRetries(() => this.#define(sql), "rows") : undefined;
  }

  async check({ thorough = false, now }: { thorough?: boolean; now?: number } = {}): Promise<Check[]> {
    try {
      const checks = await this.write(async (tx) => [
        ...(await basicChecks(tx, now)),
        ...(thorough ? [await guardOf(tx), ...(await durability(tx))] : []),
      ]);
      return thorough && this.#replica ? [...checks, await this.#replica.check()] : checks;
    } catch (error) {
      return [{ name: "connection", ok: false, detail: reason(error) }];
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#running);
    await Promise.all([this.#connections.close(), this.#replica?.close()]);
  }

  #write<T>(fn: (tx: Query) => Promise<T>, { isolation = "serializable", queue, locks }: WriteOptions): Promise<T> {
    if (isolation === "rows" && locks) return this.#shared.run(locks, fn);
    const run = () => this.#withRetries(() => this.#attempt(fn, isolation), isolation);
    return queue === undefined ? run() : this.#queues.run(queue, run);
  }

  async #withRetries<T>(attempt: () => Promise<T>, isolation: Isolation): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        if (isolation === "rows") return await attempt();
        return await (tries <= CONCURRENT_TRIES ? this.#gate.shared(attempt) : this.#gate.exclusive(attempt));
      } catch (error) {
        if (error instanceof LostRace && tries < TRIES) continue;
        if (!isRetryable(error)) throw error;
        if (tries === TRIES)
          throw new StoreUnavailable(
            `The change conflicted with others ${TRIES} times and was not saved. Try again in a moment.`,
            {
              cause: error,
            },
          );
      }
      await this.#sleep(this.#random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1)));
    }
  }

  /** Sessions are read-only outside of transactions, except those of a pooler. */
  async #define(sql: string): Promise<void> {
    const client = await this.#connections.connect();
    try {
      const { pooled } = this.#connections;
      if (!pooled) await client.query("SET default_transaction_read_only = off");
      await client.query(sql);
      if (!pooled) await client.query("SET default_transaction_read_only = on");
      client.release();
    } catch (error) {
      client.release(true);
      throw translate(error);
    }
  }

  async #attempt<T>(fn: (tx: Query) => Promise<T>, isolation: Isolation, lockMs?: number): Promise<T> {
    const client = await this.#connections.connect();
    const tx = new Queries(client, this.#connections);
    try {
      const begun = tx.begin(this.#connections.begin(ISOLATION[isolation], lockMs));
      // The session of a pooler can write outside a transaction, so nothing may follow a BEGIN that could still fail.
      if (this.#connections.pooled) await begun;
      const value = await runCallback(tx, fn);
      await commit(client, tx);
      client.release();
      return value;
    } catch (error) {
      // A connection that timed out would not answer ROLLBACK either, and one with an outdated statement may have more of them. When it is
      // closed, the server rolls back.
      if (isTimeout(error) || isTimeout(tx.failure) || isOutdated(error)) client.release(true);
      else await rollBack(client);
      throw error;
    }
  }
}

/** How CockroachDB and YugabyteDB call themselves. */
const withoutUndo = /CockroachDB|-YB-/;

/** COMMIT is sent together with the statements before it. If one of them failed, PostgreSQL rolls back instead. */
async function commit(client: PoolClient, tx: Queries): Promise<void> {
  const { command } = await client.query("COMMIT").catch((error: unknown) => {
    throw afterCommit(error);
  });
  await tx.settled();
  // What was committed must not run again, although the result of a query that nobody waited for may be one that JavaScript cannot hold.
  if (tx.failure !== undefined && command !== "COMMIT") throw tx.failure;
}

/** Runs `fn`. A serialization failure of a query is thrown even if `fn` replaced or caught it. */
async function runCallback<T>(tx: Queries, fn: (tx: Query) => Promise<T>): Promise<T> {
  try {
    const value = await fn(tx);
    if (tx.failure !== undefined) throw tx.failure;
    return value;
  } catch (error) {
    throw isRetryable(tx.failure) ? tx.failure : error;
  } finally {
    tx.finish();
  }
}

/** Unless the server reports a rollback, the change may be durable. 40003 means that the server does not know either. */
function afterCommit(error: unknown): unknown {
  const state = sqlState(error);
  const rolledBack = state !== undefined && state !== "40003" && !/^(08|57P|58)/.test(state);
  return rolledBack ? translate(error) : unavailable(error, { outcomeUnknown: true });
}

/** Rolls back. A connection that cannot do so is closed, and the server then rolls back. */
async function rollBack(client: PoolClient): Promise<void> {
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    client.release(true);
  }
}

async function basicChecks(tx: Query, now: number | undefined): Promise<Check[]> {
  const server = await tx.one<{ server_version: string }>("SHOW server_version");
  const isolation = await tx.one<{ transaction_isolation: string }>("SHOW transaction_isolation");
  const clock = await tx.one<{ ms: number }>(`SELECT ${postgresDialect.time} AS ms`);
  const level = isolation?.transaction_isolation ?? "";
  const ahead = now === undefined || !clock ? 0 : clock.ms - now;
  return [
    { name: "server_version", ok: true, detail: server?.server_version ?? "" },
    { name: "isolation", ok: level === "serializable", detail: level },
    {
      name: "clock",
      ok: Math.abs(ahead) < 5000,
      detail: `${ahead} ms ahead of this machine`,
      ...helpUnless(
        Math.abs(ahead) < 5000,
        "Correct the clocks of this machine and of the database's: deadlines, signed links and background jobs depend on them.",
      ),
    },
  ];
}

/** Settings that trade acknowledged writes for speed. */
const riskySettings = {
  fsync: "after a power failure the database may be damaged",
  synchronous_commit: "a crash of the database loses the last acknowledged payments and orders",
};

async function durability(tx: Query): Promise<Check[]> {
  const checks = Object.entries(riskySettings).map(async ([name, risk]): Promise<Check> => {
    const { value } = (await tx.one<{ value: string }>("SELECT current_setting(?) AS value", name))!;
    return value === "off"
      ? { name, ok: true, warning: true, detail: `off: ${risk}. Set ${name} = on in postgresql.conf.` }
      : { name, ok: true, detail: value };
  });
  return Promise.all(checks);
}

/**
 * The database role of this program must not be able to change or remove the rows of some tables, by a privilege of its own, of a role that it
 * is a member of, or of everybody. A superuser always is: of that one only the privileges count that somebody granted.
 */
async function guardOf(tx: Query): Promise<Check> {
  const isSuperuser = (await tx.one("SELECT 1 AS found FROM pg_roles WHERE rolname = current_user AND rolsuper")) !== undefined;
  const held = await tx.all<{ name: string; privileges: string }>(isSuperuser ? grantedPrivileges : usablePrivileges);
  const check = guardCheck(held.map(({ name, privileges }) => `the database role of this server has ${privileges} on ${name}`));
  return isSuperuser && check.ok ? { ...check, warning: true, detail: superuser } : check;
}

const superuser =
  "the database role of this server is a superuser, which no table is protected from: postings, audit entries and invoices can be changed and removed. Take that from it with `ALTER ROLE … NOSUPERUSER`. If it is the first role of its PostgreSQL, which stays one, move the data to a database of another role with `playtest serve export` and `playtest serve import`";

const guarded = appendOnlyTables.map((table) => `'${table}'`).join(", ");

const usablePrivileges = `SELECT relname AS name, STRING_AGG(privilege, ', ' ORDER BY privilege) AS privileges
  FROM pg_class CROSS JOIN (VALUES ('DELETE'), ('TRUNCATE'), ('UPDATE')) AS changing (privilege)
  WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relname IN (${guarded})
  AND has_table_privilege(current_user, pg_class.oid, privilege) GROUP BY relname ORDER BY relname`;

const grantedPrivileges = `SELECT table_name AS name, STRING_AGG(DISTINCT privilege_type, ', ' ORDER BY privilege_type) AS privileges
  FROM information_schema.table_privileges WHERE table_schema = current_schema() AND table_name IN (${guarded})
  AND privilege_type IN ('UPDATE', 'DELETE', 'TRUNCATE') AND grantee IN (current_user, 'PUBLIC')
  GROUP BY table_name ORDER BY table_name`;

const closing = () => new StoreUnavailable("The server is shutting down. Nothing was changed. Try again in a moment.");
