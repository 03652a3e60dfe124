import type { Log } from "./log.ts";

interface Outage {
  failures: number;
  /** Time in ms of the first failure. */
  since: number;
  /** Whether the log has a line about it. */
  isKnown: boolean;
}

/** How often the log says that something still fails, and at most says that it began. */
const saidEveryMs = 15 * 60_000;

/**
 * Tells the log of what this server needs from others and does not get, such as a mail server: when it begins, every quarter of an hour with
 * the number of failures, and when it is over. Hundreds of emails that cannot be sent are one line, and not none.
 */
export class Outages {
  readonly #log: Log;
  readonly #now: () => number;
  readonly #current = new Map<string, Outage>();
  readonly #saidAt = new Map<string, number>();

  /** `now`: real time in milliseconds. */
  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** `what` failed and will be tried again, such as "sending emails". */
  failed(what: string, reason: string): void {
    const now = this.#now();
    const outage = this.#current.get(what) ?? { failures: 0, since: now, isKnown: false };
    this.#current.set(what, outage);
    outage.failures++;
    if (now - (this.#saidAt.get(what) ?? Number.NEGATIVE_INFINITY) < saidEveryMs) return;
    this.#saidAt.set(what, now);
    outage.isKnown = true;
    const since = new Date(outage.since).toISOString();
    this.#log.warn({ failures: outage.failures, since }, `${what} fails, and is tried again. The newest reason: ${reason}`);
  }

  /** It worked, although an earlier failure may still wait for its next try. */
  worked(what: string): void {
    const outage = this.#current.get(what);
    if (!outage) return;
    this.#current.delete(what);
    const { failures, since, isKnown } = outage;
    if (isKnown) this.#log.info({ failures, since: new Date(since).toISOString() }, `${what} works again`);
  }
}
