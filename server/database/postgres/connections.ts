import type { Socket } from "node:net";
import type { Client, ClientConfig, Pool, PoolClient, PoolConfig, Query } from "pg";
import { type StoreLog, StoreUnavailable } from "../port.ts";
import { type Batch, batchClass, type Statement } from "./batch.ts";
import { sqlState, unavailable } from "./errors.ts";
import { hostUrls } from "./hosts.ts";
import { Liveness } from "./liveness.ts";
import { rowTypes } from "./queries.ts";

export interface ConnectionOptions {
  log?: StoreLog | undefined;
  connections?: number;
  /** Query timeout in milliseconds, after which the connection is closed as well. 0 means no timeout, for work that may take long. */
  silenceMs?: number;
  /** How long (ms) a transaction waits for a connection, while all are in use or a new one is made. */
  connectMs?: number;
  /** How long (ms) the whole server may be silent before requests fail at once. */
  quietMs?: number;
}

/** How long (ms) a transaction waits for the lock of a row, if it names no other time. */
const defaultLockMs = 5_000;
/** Read-only unless a transaction says otherwise, so that `read` cannot write, and limits for lock waits and idle transactions. */
const sessionSettings = `-c default_transaction_read_only=on -c lock_timeout=${defaultLockMs} -c idle_in_transaction_session_timeout=30s`;

const queryTimeoutMs = 10_000;
const defaultConnectMs = 5_000;
const defaultQuietMs = 1_500;
/** How long a connection is silent before the kernel sends a keep-alive probe. */
const keepAliveMs = 10_000;

/** How a host of the URL answers. A pooler that gives each transaction another session, such as pgbouncer, accepts no session settings. */
interface Host {
  isPrimary: boolean;
  pooled: boolean;
}

/**
 * The connections of a process to one PostgreSQL, of which it knows one or more hosts: they go to the one that can be written. When a
 * connection fails, the hosts are asked again, so that a promoted standby is found without a restart.
 */
export class Connections {
  readonly pool: Pool;
  readonly #urls: readonly string[];
  readonly #open = new Set<PoolClient>();
  readonly #liveness: Liveness | undefined;
  readonly #Client: typeof Client;
  readonly #Batch: ReturnType<typeof batchClass>;
  readonly #connectMs: number;
  #url: string;
  #pooled = false;
  #search: Promise<void> | undefined;

  /** Asks the hosts which one can be written. Does not fail when none answers: then each use of a connection does. */
  static async open(url: string, options: ConnectionOptions = {}): Promise<Connections> {
    const urls = hostUrls(url);
    const { default: pg } = await import("pg");
    const connections = new Connections(pg, urls, options);
    await connections.#searchHosts();
    return connections;
  }

  private constructor(
    pg: { Client: typeof Client; Pool: typeof Pool; Query: typeof Query; types: Parameters<typeof rowTypes>[0] },
    urls: readonly string[],
    {
      log,
      connections = 20,
      silenceMs = queryTimeoutMs,
      connectMs = defaultConnectMs,
      quietMs = defaultQuietMs,
    }: ConnectionOptions,
  ) {
    this.#connectMs = connectMs;
    this.#Client = pg.Client;
    this.#Batch = batchClass(pg.Query, rowTypes(pg.types));
    this.#urls = urls;
    this.#url = urls[0]!;
    this.pool = new pg.Pool({
      ...this.#config(this.#url),
      pipeline: true,
      max: connections,
      query_timeout: silenceMs,
    } as PoolConfig);
    const lost = (error: Error) => {
      log?.warn({ err: error }, "A PostgreSQL connection was lost. The next query opens another.");
      this.failed();
    };
    this.pool.on("error", lost);
    this.pool.on("connect", (client) => {
      this.#open.add(client);
      sendTogether(client);
      // A connection that dies between two queries of a transaction emits only this event. Without a listener it would end the process.
      client.on("error", lost);
      client.once("end", () => this.#open.delete(client));
    });
    if (silenceMs > 0)
      this.#liveness = new Liveness({
        quietMs,
        log,
        probe: () => this.#ask(this.#url, quietMs, this.#pooled).then(() => {}),
        isBusy: () => this.pool.totalCount > this.pool.idleCount || this.pool.waitingCount > 0,
        onSilent: () => this.#cut(),
      });
  }

  /** Whether a pooler gives each transaction another session: then statements have no names, and no reply may be left out. */
  get pooled(): boolean {
    return this.#pooled;
  }

  /** Throws StoreUnavailable while the server does not answer. */
  requireAnswers(): void {
    if (!this.#liveness?.isSilent) return;
    throw new StoreUnavailable("PostgreSQL does not answer. Nothing was changed. Try again in a moment.");
  }

  async connect(): Promise<PoolClient> {
    this.requireAnswers();
    try {
      return await this.pool.connect();
    } catch (error) {
      this.failed();
      throw unavailable(error);
    }
  }

  /**
   * The statements that begin a write, which waits so long (ms) for the lock of a row. A pooler gives each transaction another session and
   * accepts no settings for it, so each transaction sets them.
   */
  begin(isolation: string, lockMs = defaultLockMs): string {
    const begin = `BEGIN ISOLATION LEVEL ${isolation} READ WRITE`;
    if (!this.#pooled && lockMs === defaultLockMs) return begin;
    const settings = `SET LOCAL lock_timeout = ${lockMs}`;
    return this.#pooled
      ? `${begin}; ${settings}; SET LOCAL idle_in_transaction_session_timeout = '30s'`
      : `${begin}; ${settings}`;
  }

  batch(statements: readonly Statement[]): Batch {
    return new this.#Batch(statements);
  }

  replied(): void {
    this.#liveness?.replied();
  }

  /** Must be called when the database was not available: another host may be the primary by now. */
  failed(): void {
    if (this.#urls.length > 1) void this.#searchHosts();
  }

  async close(): Promise<void> {
    this.#liveness?.close();
    await this.#search;
    await this.pool.end();
  }

  #searchHosts(): Promise<void> {
    this.#search ??= this.#findPrimary().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  async #findPrimary(): Promise<void> {
    const current = this.#url;
    const order = [current, ...this.#urls.filter((url) => url !== current)];
    for (const url of order) {
      const host = await this.#ask(url, this.#connectMs).catch(() => undefined);
      if (!host || (!host.isPrimary && this.#urls.length > 1)) continue;
      this.#pooled = host.pooled;
      this.#url = url;
      Object.assign((this.pool as unknown as { options: PoolConfig }).options, this.#config(url, host.pooled));
      if (url !== current) this.#cut();
      return;
    }
  }

  /** Asks a host over a connection of its own. Rejects when it does not answer within `ms`. */
  async #ask(url: string, ms: number, pooled = false): Promise<Host> {
    const client = new this.#Client({ ...this.#config(url, pooled), connectionTimeoutMillis: ms, query_timeout: ms });
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ standby: boolean }>("SELECT pg_is_in_recovery() AS standby");
      return { isPrimary: rows[0]?.standby === false, pooled };
    } catch (error) {
      if (!pooled && refusesSettings(error)) return this.#ask(url, ms, true);
      // It answered, although not as wished: all its connections may be in use.
      if (sqlState(error)?.startsWith("53")) return { isPrimary: true, pooled };
      throw error;
    } finally {
      // A host that does not answer does not confirm the end either.
      void client.end().catch(() => {});
    }
  }

  /** The configuration of a connection to one host. */
  #config(connectionString: string, pooled = false): ClientConfig {
    return {
      connectionString,
      options: pooled ? undefined : sessionSettings,
      connectionTimeoutMillis: this.#connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    };
  }

  /** Ends every connection, also those that wait for a reply. */
  #cut(): void {
    for (const client of this.#open) socketOf(client).destroy();
  }
}

const socketOf = (client: PoolClient): Socket => (client as unknown as { connection: { stream: Socket } }).connection.stream;

/**
 * Statements that follow each other without waiting for a reply leave in one piece. Otherwise each would be a system call, which takes this
 * process longer than making the statement.
 */
function sendTogether(client: PoolClient): void {
  const query = client.query.bind(client) as (...values: unknown[]) => unknown;
  const socket = socketOf(client);
  const joined = (...values: unknown[]) => {
    socket.cork();
    process.nextTick(() => socket.uncork());
    return query(...values);
  };
  client.query = joined as typeof client.query;
}

const refusesSettings = (error: unknown): boolean =>
  error instanceof Error && /unsupported startup parameter/.test(error.message);
