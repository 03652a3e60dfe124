import type { StoreLog } from "../port.ts";

export interface LivenessOptions {
  /** How long (ms) the server may answer nothing before it is asked over a new connection. */
  quietMs: number;
  /** Asks the server over a new connection. Rejects when it does not answer. */
  probe(): Promise<void>;
  /** Whether any connection waits for a reply. */
  isBusy(): boolean;
  /** Called when the server stopped answering. */
  onSilent(): void;
  log: StoreLog | undefined;
}

/** How often it looks during `quietMs`. */
const ticks = 4;
/** Unanswered probes in a row. */
const enough = 2;
/** How much later (in intervals) than planned it may look. Beyond that, this process was busy or got no processor time. */
const lateness = 2;

/**
 * Notices a database server that accepts connections but answers nothing, for example because its disk or its network hangs. Without
 * it, each request would wait for its own timeout, and soon all connections would. Watches until `close`.
 *
 * A process that was busy itself finds its timeouts expired although replies have come that it did not read yet. So a probe that fails
 * says something about the database only if this process was on time meanwhile and no other connection got a reply.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  readonly #timer: NodeJS.Timeout;
  #quietTicks = 0;
  #lookedAt = performance.now();
  /** How often a reply came or this process was late: what makes the failure of a probe meaningless. */
  #doubts = 0;
  #probing = false;
  #unanswered = 0;
  #silent = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#look(), options.quietMs / ticks).unref();
  }

  /** True from the moment at which the server stopped answering until it answers again. */
  get isSilent(): boolean {
    return this.#silent;
  }

  /** Must be called for each reply. */
  replied(): void {
    this.#quietTicks = 0;
    this.#doubts++;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { probe, isBusy } = this.#options;
    const isLate = this.#isLate();
    if (isLate) this.#doubts++;
    this.#quietTicks = isBusy() && !isLate ? this.#quietTicks + 1 : 0;
    if (this.#probing || !(this.#quietTicks > ticks || this.#silent)) return;
    this.#probing = true;
    const doubts = this.#doubts;
    const answered = await probe().then(
      () => true,
      () => false,
    );
    this.#probing = false;
    if (!answered && this.#doubts > doubts) return;
    this.#unanswered = answered ? 0 : this.#unanswered + 1;
    if (answered) this.#found(false);
    else if (this.#unanswered >= enough) this.#found(true);
  }

  #isLate(): boolean {
    const before = this.#lookedAt;
    this.#lookedAt = performance.now();
    return this.#lookedAt - before > (lateness * this.#options.quietMs) / ticks;
  }

  #found(silent: boolean): void {
    const { log, onSilent } = this.#options;
    if (!silent) this.replied();
    if (silent === this.#silent) return;
    this.#silent = silent;
    if (!silent) return void log?.warn({}, "PostgreSQL answers again.");
    log?.warn({}, "PostgreSQL does not answer. Until it does, requests get 503 at once.");
    onSilent();
  }
}
