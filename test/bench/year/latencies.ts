/** The times (ms) of the calls of one month, by operation. */
export class Latencies {
  readonly #times = new Map<string, number[]>();

  add(operation: string, ms: number): void {
    const times = this.#times.get(operation);
    if (times) times.push(ms);
    else this.#times.set(operation, [ms]);
  }

  get count(): number {
    return [...this.#times.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** The ten operations that were called most. */
  busiest(): string[] {
    const byCount = [...this.#times].sort(([, a], [, b]) => b.length - a.length);
    return byCount.slice(0, 10).map(([operation]) => operation);
  }

  countOf(operation: string): number {
    return this.#times.get(operation)?.length ?? 0;
  }

  /** The time within which this share of the calls of an operation was answered. */
  quantile(operation: string, share: number): number {
    const times = (this.#times.get(operation) ?? []).toSorted((a, b) => a - b);
    return times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
  }
}
