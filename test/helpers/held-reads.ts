import type { Query, Store, Value } from "../../server/database/port.ts";
import { type Gate, gate } from "./gate.ts";

/** A database that is late to reply to a read. */
export interface HeldReads {
  /** What a server takes for its store. */
  through(store: Store): Store;
  /** Keeps back the reply to the next read whose SQL contains `part`. Resolves once that reply is there. */
  hold(part: string): Promise<void>;
  release(): void;
}

export function heldReads(): HeldReads {
  let next: { part: string; arrived: Gate } | undefined;
  let released = gate();
  async function passing<T>(sql: string, reply: Promise<T>): Promise<T> {
    await reply;
    if (next === undefined || !sql.includes(next.part)) return reply;
    next.arrived.open();
    next = undefined;
    await released.passed;
    return reply;
  }
  const late = (q: Query): Query => ({
    one: <T>(sql: string, ...values: Value[]) => passing(sql, q.one<T>(sql, ...values)),
    all: <T>(sql: string, ...values: Value[]) => passing(sql, q.all<T>(sql, ...values)),
    run: (sql, ...values) => q.run(sql, ...values),
    send: (sql, ...values) => q.send(sql, ...values),
    lock: (table, condition, ...values) => q.lock(table, condition, ...values),
    locked: (table, id) => q.locked(table, id),
    held: (sql, ...values) => q.held(sql, ...values),
    alone: (sql, ...values) => q.alone(sql, ...values),
  });
  return {
    through: (store) => ({
      dialect: store.dialect,
      shared: store.shared,
      read: (fn) => store.read((q) => fn(late(q))),
      write: (fn, options) => store.write(fn, options),
      check: (options) => store.check(options),
      close: () => store.close(),
    }),
    hold(part) {
      next = { part, arrived: gate() };
      released = gate();
      return next.arrived.passed;
    },
    release: () => released.open(),
  };
}
