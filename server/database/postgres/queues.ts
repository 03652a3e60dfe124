/** Runs tasks with the same name one after the other. */
export class Queues {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const result = before ? before.then(task) : task();
    // The next one starts whatever became of this one.
    const ended = result.then(
      () => {},
      () => {},
    );
    this.#last.set(name, ended);
    try {
      return await result;
    } finally {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    }
  }
}
