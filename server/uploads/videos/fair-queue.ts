interface Entry {
  account: string;
  start(): void;
}

/** Runs work at most `width` at once, and one at once for each account: whose work takes long waits for their own. */
export class FairQueue {
  readonly #width: number;
  readonly #running = new Set<string>();
  #waiting: Entry[] = [];

  constructor(width: number) {
    this.#width = width;
  }

  /** Undefined, without the work, when its turn has not come before `gaveUp`. */
  run<T>(account: string, work: () => Promise<T>, gaveUp?: AbortSignal): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((one) => one !== entry);
        resolve(undefined);
      };
      const start = () => {
        gaveUp?.removeEventListener("abort", leave);
        this.#running.add(account);
        work()
          .then(resolve, reject)
          .finally(() => {
            this.#running.delete(account);
            this.#next();
          });
      };
      const entry = { account, start };
      gaveUp?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(entry);
      this.#next();
    });
  }

  #next(): void {
    while (this.#running.size < this.#width) {
      const index = this.#waiting.findIndex(({ account }) => !this.#running.has(account));
      if (index < 0) return;
      this.#waiting.splice(index, 1)[0]!.start();
    }
  }
}
