import type { Query, Store, Value } from "../../server/database/port.ts";
import { type Gate, gate } from "./gate.ts";

/** A database whose replies to some reads are late. */
export interface HeldReads {
  /** What a server takes for its store. */
  through(store: Store): Store;
  /** From now on keeps back the replies to reads whose SQL contains `part`. Resolves with the first of them at hand. */
  hold(part: string): Promise<void>;
  release(): void;
}

export function heldReads(): HeldReads {
  let held: { part: string; arrived: Gate; released: Gate } | undefined;
  async function passing<T>(sql: string, reply: Promise<T>): Promise<T> {
    await reply;
    if (held === undefined || !sql.includes(held.part)) return reply;
    const { arrived, released } = held;
    arrived.open();
    await released.passed;
    return reply;
  }
  const late = (q: Query): Query => ({
    one: <T>(sql: string, ...values: Value[]) => passing(sql, q.one<T>(sql, ...values)),
    all: <T>(sql: string, ...values: Value[]) => passing(sql, q.all<T>(sql, ...values)),
    run: (sql, ...values) => q.run(sql, ...values),
    send: (sql, ...values) => q.send(sql, ...values),
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
      held = { part, arrived: gate(), released: gate() };
      return held.arrived.passed;
    },
    release() {
      held?.released.open();
      held = undefined;
    },
  };
}
