/**
 * Many pass together, or one alone. Whoever waits to be alone holds back those who come later, so it waits only for those
 * already inside. Transactions that keep colliding go alone: then nothing of this process can make them fail again.
 */
export class ReadWriteGate {
  #inside = 0;
  #alone = false;
  readonly #waiting: { alone: boolean; enter(): void }[] = [];

  together<T>(work: () => Promise<T>): Promise<T> {
    return this.#pass(false, work);
  }

  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#pass(true, work);
  }

  async #pass<T>(alone: boolean, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length > 0 || !this.#isFree(alone))
      await new Promise<void>((enter) => this.#waiting.push({ alone, enter }));
    else this.#take(alone);
    try {
      return await work();
    } finally {
      this.#inside--;
      this.#alone = false;
      this.#admit();
    }
  }

  #isFree(alone: boolean): boolean {
    return alone ? this.#inside === 0 : !this.#alone;
  }

  #take(alone: boolean): void {
    this.#inside++;
    this.#alone = alone;
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next && this.#isFree(next.alone); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(next.alone);
      next.enter();
    }
  }
}
