import type { Database, Statement } from "better-sqlite3";
import type { StoreLog } from "../port.ts";

/** 16 MB of pages. A page that many commits changed meanwhile is moved once: with 1,000, an eighth fewer orders are placed. */
const FRAMES_BETWEEN = 4000;
const IDLE_MS = 1000;

interface Wal {
  busy: number;
  log: number;
  checkpointed: number;
}

/**
 * Checkpoints: moves committed pages from the WAL to the data file after replies were sent, never inside a COMMIT. A passive checkpoint
 * runs every few thousand frames, so that each is short and the WAL is reused from its start; a full one runs when writes pause.
 */
export class Checkpoints {
  readonly #status: Statement<[], Wal>;
  readonly #passive: Statement<[], Wal>;
  readonly #truncate: Statement<[], Wal>;
  readonly #log: StoreLog | undefined;
  #dueAt = FRAMES_BETWEEN;
  #wrote = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(database: Database, log?: StoreLog) {
    this.#log = log;
    this.#status = database.prepare("PRAGMA wal_checkpoint(NOOP)");
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
    // What fails now is done by the next process that opens the file.
    this.#attempt(() => this.#moveAll(), "is left to the next start");
  }

  #moveSome(): void {
    const frames = this.#status.get()?.log ?? 0;
    if (frames < this.#dueAt) return;
    const { log, checkpointed } = this.#passive.get() ?? {
      log: 0,
      checkpointed: 0,
    };
    // A long reader in another process prevents a complete checkpoint: wait for as many frames again instead of trying at each commit.
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

  /** Does not wait for readers in other processes: the remaining frames stay in the WAL until the next checkpoint. */
  #moveAll(): void {
    this.#truncate.get();
    this.#dueAt = FRAMES_BETWEEN;
  }

  /** Every commit is durable in the WAL, so a failed checkpoint costs only disk space, and the next one tries again. */
  #attempt(move: () => void, next = "will be retried"): void {
    try {
      move();
    } catch (error) {
      const { message } = error as Error;
      this.#log?.warn({}, `A checkpoint of the SQLite write-ahead log failed (${message}) and ${next}. Nothing was lost.`);
    }
  }
}
