import type { LeasedJob } from "./run.ts";
import type { Kinds } from "./store.ts";
import type { Account, Turns } from "./turns.ts";

/** What a lane needs from the job runner. */
interface Owner {
  /** Leases up to `count` due jobs of these kinds. */
  claim(count: number, kinds: Kinds): Promise<LeasedJob[]>;
  /** The accounts with due jobs of these kinds, the one that waits longest first. */
  waiting(kinds: readonly string[]): Promise<Account[]>;
  run(row: LeasedJob): Promise<void>;
  /** False when no job may start now. */
  isOpen(): boolean;
  failed(error: unknown, message: string, row?: LeasedJob): void;
}

/**
 * Runs jobs of some kinds, at most `width` at once. A slow job does not delay the others of its lane. With `turns`, accounts take turns;
 * without, it is first come, first served.
 */
export class Lane {
  readonly #kinds: readonly string[];
  readonly #width: number;
  readonly #owner: Owner;
  readonly #turns: Turns | undefined;
  readonly #busy = new Set<Promise<void>>();
  #looking: Promise<void> | undefined;
  #lookAgain = false;

  constructor(kinds: readonly string[], width: number, owner: Owner, turns?: Turns) {
    this.#kinds = kinds;
    this.#width = width;
    this.#owner = owner;
    this.#turns = turns;
  }

  get isEmpty(): boolean {
    return this.#kinds.length === 0;
  }

  runsAny(kinds: ReadonlySet<string>): boolean {
    return this.#kinds.some((kind) => kinds.has(kind));
  }

  /** Starts due jobs. When it is called while it is looking, it looks once more afterwards. */
  look(): void {
    if (!this.#owner.isOpen()) return;
    this.#lookAgain = this.#looking !== undefined;
    if (this.#lookAgain) return;
    this.#looking = this.#fill()
      .catch((error) => this.#owner.failed(error, "could not look for due jobs"))
      .finally(() => {
        this.#looking = undefined;
        if (this.#lookAgain) this.look();
      });
  }

  /** Resolves when none of its jobs is running. */
  async idle(): Promise<void> {
    await this.#looking;
    await Promise.all(this.#busy);
  }

  async #fill(): Promise<void> {
    for (let free = this.#free(); free > 0 && this.#owner.isOpen(); free = this.#free()) {
      const due = await (this.#turns ? this.#claimNext(this.#turns) : this.#owner.claim(free, { only: this.#kinds }));
      for (const row of due) this.#begin(row);
      if (due.length < (this.#turns ? 1 : free)) return;
    }
  }

  /** The next job of the account whose turn it is. */
  async #claimNext(turns: Turns): Promise<LeasedJob[]> {
    for (let waiting = await this.#owner.waiting(this.#kinds); waiting.length > 0; ) {
      const account = turns.next(waiting)!;
      const due = await this.#owner.claim(1, { only: this.#kinds, account });
      if (due.length > 0) return due;
      // Another process runs its jobs by now.
      waiting = waiting.filter((one) => one !== account);
    }
    return [];
  }

  #begin(row: LeasedJob): void {
    const ended = this.#turns?.begin(row.account);
    const work = this.#owner
      .run(row)
      .catch((error) => this.#owner.failed(error, "could not return a job to the queue", row))
      .finally(() => {
        const wasFull = this.#free() === 0;
        this.#busy.delete(work);
        ended?.();
        if (wasFull) this.look();
      });
    this.#busy.add(work);
  }

  #free(): number {
    return this.#width - this.#busy.size;
  }
}
