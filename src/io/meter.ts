import type { Progress } from "./progress.ts";
import { bytes, duration } from "./text.ts";

/** Progress, rate and remaining time of transfers. */
export interface Meter {
  /** Adds bytes that are still to be transferred. */
  expect(count: number): void;
  /** Counts transferred bytes. */
  add(count: number): void;
  /** Counts bytes that an earlier run transferred. They do not count toward the rate. */
  skip(count: number): void;
  readonly fraction: number | undefined;
  /** `120.3 MiB of 1.2 GiB, 8.1 MiB/s, 2m left`. */
  text(): string;
}

/** `now` returns milliseconds. */
export function createMeter(now: () => number): Meter {
  const started = now();
  let total = 0;
  let done = 0;
  let skipped = 0;
  return {
    expect(count) {
      total += count;
    },
    add(count) {
      done += count;
    },
    skip(count) {
      done += count;
      skipped += count;
    },
    get fraction() {
      return total > 0 ? Math.min(1, done / total) : undefined;
    },
    text() {
      const rate = ((done - skipped) / Math.max(1, now() - started)) * 1000;
      const left = rate > 0 && total > done ? [`${duration(Math.ceil((total - done) / rate))} left`] : [];
      const size = total > 0 ? `${bytes(done)} of ${bytes(total)}` : bytes(done);
      return [size, `${bytes(Math.round(rate))}/s`, ...left].join(", ");
    },
  };
}

/** Reports the progress of one transfer from the bytes transferred and the total. */
export function transferred(now: () => number, onUpdate: (text: string, fraction: number) => void) {
  const meter = createMeter(now);
  let last: number | undefined;
  return (done: number, total: number) => {
    if (last === undefined) {
      meter.expect(total);
      meter.skip(done);
    } else meter.add(done - last);
    last = done;
    onUpdate(meter.text(), total > 0 ? done / total : 1);
  };
}

/** Reports the progress of an upload. After the last byte, the server may still have to verify the file. */
export const uploading = (now: () => number, name: string, progress: Progress) =>
  transferred(now, (text, fraction) => {
    if (fraction < 1) progress.update(`Uploading ${text}: ${name}`, fraction);
    else progress.update(`Uploaded ${name}; waiting for the server to verify it`);
  });
