import { bytes, duration } from "./text.ts";

/** How far transfers are, how fast they go, and when they will be done. */
export interface Meter {
  /** Announces bytes that are still to come. */
  expect(count: number): void;
  /** Counts bytes that came. */
  add(count: number): void;
  readonly fraction: number | undefined;
  /** `120.3 MiB of 1.2 GiB, 8.1 MiB/s, 2m left`. */
  text(): string;
}

/** `now` gives milliseconds. */
export function createMeter(now: () => number): Meter {
  const started = now();
  let total = 0;
  let done = 0;
  return {
    expect(count) {
      total += count;
    },
    add(count) {
      done += count;
    },
    get fraction() {
      return total > 0 ? Math.min(1, done / total) : undefined;
    },
    text() {
      const rate = (done / Math.max(1, now() - started)) * 1000;
      const left = rate > 0 && total > done ? [`${duration(Math.ceil((total - done) / rate))} left`] : [];
      const size = total > 0 ? `${bytes(done)} of ${bytes(total)}` : bytes(done);
      return [size, `${bytes(Math.round(rate))}/s`, ...left].join(", ");
    },
  };
}
