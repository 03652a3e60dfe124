/** For whom a job works; null: for the server. */
export type Account = string | null;

/** Within this time (ms), half of what an account took is forgotten. */
const halfLifeMs = 30 * 60_000;

/** Whose turn it is in a lane that is fair to accounts, so that one with much to do delays the others by one of its jobs at most. */
export class Turns {
  readonly #now: () => number;
  readonly #running = new Map<Account, number>();
  /** How long the jobs of an account ran recently (ms), as of `at` (ms). */
  readonly #taken = new Map<Account, { ms: number; at: number }>();

  /** `now` is the real time in ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The account with the fewest jobs at work, of these the one whose jobs took the least time recently, of these the first. */
  next(waiting: readonly Account[]): Account | undefined {
    const rank = (account: Account) => [this.#running.get(account) ?? 0, this.#takenBy(account)] as const;
    const ranked = waiting.map((account) => ({ account, rank: rank(account) }));
    ranked.sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1]);
    return ranked[0]?.account;
  }

  /** A job of the account begins. Returns what to call when it has ended. */
  begin(account: Account): () => void {
    const startedAt = this.#now();
    this.#running.set(account, (this.#running.get(account) ?? 0) + 1);
    return () => {
      const left = this.#running.get(account)! - 1;
      if (left === 0) this.#running.delete(account);
      else this.#running.set(account, left);
      const at = this.#now();
      this.#taken.set(account, { ms: this.#takenBy(account) + Math.max(1, at - startedAt), at });
      this.#forget();
    };
  }

  #takenBy(account: Account): number {
    const known = this.#taken.get(account);
    return known ? known.ms * 0.5 ** (Math.max(0, this.#now() - known.at) / halfLifeMs) : 0;
  }

  /** Of accounts that took next to nothing, nothing is remembered. */
  #forget(): void {
    for (const account of this.#taken.keys()) if (this.#takenBy(account) < 0.5) this.#taken.delete(account);
  }
}
