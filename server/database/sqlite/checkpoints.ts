import type { Database, Statement } from "better-sqlite3";
import type { StoreLog } from "../port.ts";

const FRAMES_BETWEEN = 1000;
const IDLE_MS = 1000;

interface Wal {
  busy: number;
  log: number;
  checkpointed: number;
}

/**
 * Moves committed pages from the WAL into the data file after replies were sent, never inside a COMMIT: some of it every
 * thousand frames, so that each turn is short and the WAL is used again from its start, and all of it when writes pause.
 */
export class Checkpoints {
  readonly #database: Database;
  readonly #look: Statement<[], Wal>;
  readonly #passive: Statement<[], Wal>;
  readonly #truncate: Statement<[], Wal>;
  readonly #log: StoreLog | undefined;
  #dueAt = FRAMES_BETWEEN;
  #wrote = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(database: Database, log?: StoreLog) {
    this.#log = log;
    this.#database = database;
    this.#look = database.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.#passive = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    this.#truncate = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  afterCommit(): void {
    this.#wrote = true;
    this.#idle ??= setTimeout(() => this.#onPause(), IDLE_MS).unref();
    this.#attempt(() => this.#moveSome());
  }

  stop(): void {
    clearTimeout(this.#idle);
    this.#attempt(() => this.#moveAll());
  }

  #moveSome(): void {
    const frames = this.#look.get()?.log ?? 0;
    if (frames < this.#dueAt) return;
    const { log, checkpointed } = this.#passive.get() ?? {
      log: 0,
      checkpointed: 0,
    };
    // A long reader in another process keeps frames back: wait for as many again instead of trying at each commit.
    this.#dueAt = log === checkpointed ? FRAMES_BETWEEN : log + FRAMES_BETWEEN;
  }

  #onPause(): void {
    this.#idle = undefined;
    if (this.#wrote) {
      this.#wrote = false;
      this.#idle = setTimeout(() => this.#onPause(), IDLE_MS).unref();
      return;
    }
    this.#attempt(() => this.#moveAll());
  }

  /** Never waits for a reader in another process: what it could not move stays in the WAL for the next time. */
  #moveAll(): void {
    this.#database.pragma("busy_timeout = 0");
    this.#truncate.get();
    this.#database.pragma("busy_timeout = 5000");
    this.#dueAt = FRAMES_BETWEEN;
  }

  /** Every commit is safe in the WAL, so a failure here costs nothing but space, and the next turn tries again. */
  #attempt(move: () => void): void {
    try {
      move();
    } catch (error) {
      this.#log?.warn(
        { err: error },
        "The SQLite write-ahead log could not be moved into the data file; it is tried again later.",
      );
    }
  }
}
