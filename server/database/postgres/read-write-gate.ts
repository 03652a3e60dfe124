/**
 * A readers-writer lock: many shared holders, or one exclusive holder. A waiting exclusive holder blocks later ones, so it waits only
 * for those already inside. Transactions that keep colliding run exclusively: then no other of this process can make them fail again.
 */
export class ReadWriteGate {
  #inside = 0;
  #exclusive = false;
  readonly #waiting: { exclusive: boolean; enter(): void }[] = [];

  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#pass(false, work);
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#pass(true, work);
  }

  async #pass<T>(exclusive: boolean, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#isFree(exclusive))
      await new Promise<void>((enter) => this.#waiting.push({ exclusive, enter }));
    else this.#take(exclusive);
    try {
      return await work();
    } finally {
      this.#inside--;
      this.#exclusive = false;
      this.#admit();
    }
  }

  #isFree(exclusive: boolean): boolean {
    return exclusive ? this.#inside === 0 : !this.#exclusive;
  }

  #take(exclusive: boolean): void {
    this.#inside++;
    this.#exclusive = exclusive;
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next && this.#isFree(next.exclusive); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(next.exclusive);
      next.enter();
    }
  }
}
