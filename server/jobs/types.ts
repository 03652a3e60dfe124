import type { Query } from "../database/port.ts";

/** Background work as the other rooms see it. `Deps` is what jobs are given to work with. */
export interface Jobs<Deps> {
  /** Queues a job in the transaction that causes it. Of one kind there is one job with a `key`. `runAt` is server time in ms. */
  schedule(tx: Query, job: { kind: string; key: string; payload: Record<string, unknown>; runAt: number }): Promise<void>;
  start(deps: Deps): void;
  /** Resolves when the jobs at work have ended. */
  stop(): Promise<void>;
  /** Sandbox: moves the clock to `until` (ms), running everything that falls due on the way, in order of time. How many ran. */
  advance(until: number, setClock: (now: number) => Promise<void>): Promise<number>;
}
