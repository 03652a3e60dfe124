import { ApiError } from "../../lib/api-error.ts";
import { Semaphore } from "../../lib/semaphore.ts";

/** The maximum number of test events in progress for one host, including those that wait for their turn. */
const maxTests = 8;

/** Limits the concurrent requests to each host and in total. Requests beyond the limits wait. */
export class InFlight {
  readonly #perHost: number;
  readonly #all: Semaphore;
  readonly #hosts = new Map<string, Semaphore>();
  readonly #tests = new Map<string, number>();

  constructor({ inFlight, inFlightPerHost }: { inFlight: number; inFlightPerHost: number }) {
    this.#perHost = inFlightPerHost;
    this.#all = new Semaphore(inFlight);
  }

  async run<T>(host: string, work: () => Promise<T>): Promise<T> {
    const semaphore = this.#hosts.get(host) ?? new Semaphore(this.#perHost);
    this.#hosts.set(host, semaphore);
    await semaphore.acquire();
    await this.#all.acquire();
    try {
      return await work();
    } finally {
      this.#all.release();
      semaphore.release();
      if (semaphore.isUnused) this.#hosts.delete(host);
    }
  }

  /** Runs `work`, which sends a test event to this host. 429 when the maximum of test events is in progress already. */
  async test<T>(host: string, work: () => Promise<T>): Promise<T> {
    const others = this.#tests.get(host) ?? 0;
    if (others >= maxTests)
      throw new ApiError(
        "RATE_LIMITED",
        `This webhook's host already has ${others} test events in progress. Nothing was sent. Try again later.`,
        {
          headers: { "Retry-After": "5" },
        },
      );
    this.#tests.set(host, others + 1);
    try {
      return await work();
    } finally {
      const left = this.#tests.get(host)! - 1;
      if (left > 0) this.#tests.set(host, left);
      else this.#tests.delete(host);
    }
  }
}
