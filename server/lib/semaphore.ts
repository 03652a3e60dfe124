/** A semaphore. Waiting callers get their turn in the order in which they called `acquire`. */
export class Semaphore {
  readonly #max: number;
  readonly #queue: (() => void)[] = [];
  #inUse = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get isUnused(): boolean {
    return this.#inUse === 0 && this.#queue.length === 0;
  }

  acquire(): Promise<void> {
    if (this.#inUse < this.#max) {
      this.#inUse++;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#queue.push(resolve));
  }

  /** Passes the permit on to the caller that waits longest. */
  release(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#inUse--;
  }
}
