import type { Query } from "../database/port.ts";

/** A job to queue. A transaction takes those of the server only (`JobKind`); a runner takes any, for its tests. */
export interface JobToQueue<Kind extends string = string> {
  kind: Kind;
  /** Of one kind there is one job with a key. */
  key: string;
  payload: Record<string, unknown>;
  /** For whom it works: in a fair lane, accounts take turns. Without one it works for the server. */
  account?: string;
  /** The trace of the work that queues it, as `traceText` has it. A transaction knows its own. */
  trace?: string | undefined;
  /** Server time in ms. */
  runAt: number;
}

/** Background work as the other rooms see it. `Deps` is what jobs are given to work with. */
export interface Jobs<Deps> {
  /** Queues a job in the transaction that causes it. */
  schedule(tx: Query, job: JobToQueue): Promise<void>;
  /** Queues jobs that most likely do not exist yet, without looking for them first. One that is dead stays dead. */
  scheduleNew(tx: Query, jobs: readonly JobToQueue[]): Promise<void>;
  start(deps: Deps): void;
  /** Resolves when the jobs at work have ended. */
  stop(): Promise<void>;
  /** Sandbox: moves the clock to `until` (ms), running everything that falls due on the way, in order of time. How many ran. */
  advance(until: number, setClock: (now: number) => Promise<void>): Promise<number>;
}
