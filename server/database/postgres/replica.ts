import { ConfigError } from "../../config/read.ts";
import { type Check, type Query, StoreUnavailable } from "../port.ts";
import { type ConnectionOptions, Connections } from "./connections.ts";
import { reason, sqlState } from "./errors.ts";
import { hostUrls } from "./hosts.ts";
import { Queries } from "./queries.ts";
import { SharedReads } from "./shared-reads.ts";
import { sharing } from "./sharing.ts";

/** How long (ms) a replica that failed is not asked again. */
const restMs = 5_000;

/**
 * Where the primary's log ends. What was committed and acknowledged lies before: it is flushed, or with `synchronous_commit = off` at
 * least inserted.
 */
const positionOfPrimary = `SELECT CAST(CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
  ELSE pg_current_wal_flush_lsn() END AS TEXT) AS position`;
/** How far a standby has replayed the log; null on a server that is no standby. */
const positionOfReplica = "SELECT CASE WHEN pg_is_in_recovery() THEN CAST(pg_last_wal_replay_lsn() AS TEXT) END AS position";

/**
 * A standby of the database, which answers reads as long as it has everything that was committed before them, by whatever process. That
 * costs a short query to the primary, which concurrent reads share.
 */
export class Replica {
  readonly #connections: Connections;
  readonly #queries: Query;
  readonly #primary: Query;
  readonly #committed: () => Promise<bigint>;
  readonly #replayed: () => Promise<bigint>;
  /** How far the replica had come when it was asked last. */
  #known = -1n;
  #resting = false;

  static async open(url: string, primary: Query, options: ConnectionOptions): Promise<Replica> {
    if (hostUrls(url).length > 1)
      throw new ConfigError(
        "database.readUrl names several hosts. Nothing was opened. Name one: a position in the log is known for one server only.",
      );
    return new Replica(await Connections.open(url, options), primary);
  }

  private constructor(connections: Connections, primary: Query) {
    this.#connections = connections;
    this.#queries = new Queries(new SharedReads(connections), connections);
    this.#primary = primary;
    this.#committed = sharing(() => positionFrom(this.#primary, positionOfPrimary));
    this.#replayed = sharing(() => positionFrom(this.#queries, positionOfReplica));
  }

  /** Reads from the replica; from the primary when the replica is behind it or fails. */
  async read<T>(fn: (q: Query) => Promise<T>): Promise<T> {
    if (!(await this.#isCurrent())) return fn(this.#primary);
    try {
      return await fn(this.#queries);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) && sqlState(error) === undefined) throw error;
      this.#rest(error);
      return fn(this.#primary);
    }
  }

  /** Whether it answers and is a standby of this primary. Reads do not depend on it, so that none of this is more than a warning. */
  async check(): Promise<Check> {
    const name = "replica";
    const warning = (detail: string): Check => ({
      name,
      ok: true,
      warning: true,
      detail: `${detail}. All reads use the primary.`,
    });
    try {
      const [ours, theirs] = await Promise.all([identity(this.#primary), identity(this.#queries)]);
      if (ours !== theirs) return warning("the server of database.readUrl is no copy of this database");
      const [committed, replayed] = [await this.#committed(), await this.#replayed()];
      if (replayed < 0n) return warning("the server of database.readUrl is not a standby");
      const behind = committed > replayed ? committed - replayed : 0n;
      return { name, ok: true, detail: behind === 0n ? "has everything that was committed" : `${behind} bytes of log behind` };
    } catch (error) {
      return warning(`database.readUrl does not answer (${reason(error)})`);
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #isCurrent(): Promise<boolean> {
    if (this.#resting) return false;
    // The primary's failure is the caller's: nothing else could answer either.
    const committed = await this.#committed();
    if (this.#known >= committed) return true;
    try {
      this.#connections.requireAnswers();
      this.#known = await this.#replayed();
    } catch (error) {
      this.#rest(error);
    }
    return this.#known >= committed;
  }

  /** A query that had to make way for the replay of the log says nothing about the next one. */
  #rest(error: unknown): void {
    if (sqlState(error) === "40001") return;
    this.#resting = true;
    setTimeout(() => {
      this.#resting = false;
    }, restMs).unref();
  }
}

/** A position in the log as a number; -1 if there is none. */
async function positionFrom(q: Query, sql: string): Promise<bigint> {
  const { position } = (await q.one<{ position: string | null }>(sql))!;
  if (position === null) return -1n;
  const [high, low] = position.split("/").map((part) => BigInt(`0x${part}`));
  return (high! << 32n) + low!;
}

const identity = async (q: Query) =>
  (await q.one<{ id: string }>(
    "SELECT CAST(system_identifier AS TEXT) || ' ' || current_database() AS id FROM pg_control_system()",
  ))!.id;
