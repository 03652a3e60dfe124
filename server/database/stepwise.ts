import { setTimeout as wait } from "node:timers/promises";
import type { Define, Query, Store } from "./port.ts";

/**
 * A part of a migration. Definitions can be repeated: nobody knows whether the last one was made before a process was killed. A change of
 * rows is committed together with the note that it was made.
 */
export type Step = { definitions: readonly string[]; check(q: Query): Promise<void> } | { change: string };

export interface Migrating {
  position: number;
  steps: readonly Step[];
  /** Writes the migration to the history. */
  record(tx: Query): Promise<unknown>;
}

export interface StepwiseOptions {
  /** How long (ms) others wait for a process that was killed. */
  leaseMs?: number;
}

/** Who migrates until when, and how many steps of the migration at this position are done. One row. */
const progress = `CREATE TABLE IF NOT EXISTS migration_progress (
  id BIGINT PRIMARY KEY, holder TEXT NOT NULL, lease_until BIGINT NOT NULL, position BIGINT NOT NULL, done BIGINT NOT NULL)`;
const pollMs = 200;

/** Another process believes that this one was killed, and has taken over. */
class LostLease extends Error {}

/**
 * Runs the migrations that `pending` returns, step by step, and continues where an earlier process was killed. The process that holds the
 * lease does that, and renews it while a step takes long; others wait. No lease keeps a definition back that a process makes after it was
 * frozen for longer than the lease, between its last note and this definition.
 */
export async function migrateStepwise(
  store: Store,
  define: Define,
  pending: () => Promise<readonly Migrating[]>,
  { leaseMs = 15_000 }: StepwiseOptions = {},
): Promise<void> {
  await defineOrRepeat(define, progress);
  const lease = new Lease(store, leaseMs);
  while ((await pending()).length > 0) {
    if (!(await lease.take())) await wait(pollMs);
    else await lease.during(async () => run(store, define, lease, await pending()));
  }
}

async function run(store: Store, define: Define, lease: Lease, pending: readonly Migrating[]): Promise<void> {
  for (const { position, steps, record } of pending) {
    for (let done = await lease.done(position); done < steps.length; done++) {
      const step = steps[done]!;
      const note = (tx: Query) => lease.note(tx, position, done + 1);
      if ("change" in step) {
        await write(store, (tx) => tx.run(step.change).then(() => note(tx)));
        continue;
      }
      await store.read(step.check);
      for (const definition of step.definitions) await defineOrRepeat(define, definition);
      await write(store, note);
    }
    await write(store, (tx) => record(tx).then(() => lease.note(tx, position + 1, 0)));
  }
}

/** With row locks: a serializable change that takes long would conflict with each renewal of the lease. */
const write = (store: Store, fn: (tx: Query) => Promise<void>) => store.write(fn, { isolation: "rows" });

/** When two sessions make the same thing at once, PostgreSQL may fail one of them with an error of its catalog. The next try finds the thing. */
export const defineOrRepeat = (define: Define, sql: string) => define(sql).catch(() => define(sql));

class Lease {
  #holder = "";
  readonly #store: Store;
  readonly #ms: number;

  constructor(store: Store, ms: number) {
    this.#store = store;
    this.#ms = ms;
  }

  /** Whether nobody else holds it. */
  async take(): Promise<boolean> {
    const now = this.#store.dialect.time;
    const sql = `INSERT INTO migration_progress (id, holder, lease_until, position, done)
      VALUES (0, CAST(gen_random_uuid() AS TEXT), ${now} + ?, 0, 0)
      ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
      WHERE migration_progress.lease_until <= ${now} RETURNING holder`;
    const taken = await this.#store.write((tx) => tx.one<{ holder: string }>(sql, this.#ms));
    this.#holder = taken?.holder ?? "";
    return taken !== undefined;
  }

  /** Does the work, unless others take over, and lets go. */
  async during(work: () => Promise<void>): Promise<void> {
    const renewing = setInterval(() => void this.#extend(this.#ms).catch(() => {}), this.#ms / 3);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LostLease)) throw error;
    } finally {
      clearInterval(renewing);
      // Without it, others wait until it runs out.
      await this.#extend(0).catch(() => {});
    }
  }

  /** How many steps of the migration at this position are done. */
  async done(position: number): Promise<number> {
    const sql = "SELECT done FROM migration_progress WHERE position = ?";
    return (await this.#store.read((q) => q.one<{ done: number }>(sql, position)))?.done ?? 0;
  }

  /** Notes what is done. Throws if others have taken over. */
  async note(tx: Query, position: number, done: number): Promise<void> {
    const sql = `UPDATE migration_progress SET position = ?, done = ?, lease_until = ${this.#store.dialect.time} + ? WHERE holder = ?`;
    if ((await tx.run(sql, position, done, this.#ms, this.#holder)) === 0) throw new LostLease();
  }

  #extend(ms: number): Promise<number> {
    const sql = `UPDATE migration_progress SET lease_until = ${this.#store.dialect.time} + ? WHERE holder = ?`;
    return this.#store.write((tx) => tx.run(sql, ms, this.#holder), { isolation: "rows" });
  }
}
