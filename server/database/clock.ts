import type { Clock } from "../lib/clock.ts";
import type { Query, Store } from "./port.ts";

export interface MovableClock extends Clock {
  /** Moves the server's time forward to `now` (ms), never back. Durable: a restarted sandbox continues from there. */
  moveTo(now: number): Promise<void>;
  /** Reserves an advance by `ms` and returns the time (ms) at which it ends. Advances at the same time, in any process, add up. */
  book(ms: number): Promise<number>;
  /** Picks up an advance made by another process. Undefined when there can be no other process. */
  follow?(q: Query): Promise<void>;
}

/** How far the clock is ahead of real time, and how far it will be after the reserved advances; ms. */
type Setting = "clock_offset_ms" | "clock_booked_ms";

const read = async (q: Query, name: Setting) =>
  Number((await q.one<{ value: string }>("SELECT value FROM settings WHERE name = ?", name))?.value ?? 0);

const write = (tx: Query, name: Setting, ms: number) =>
  tx.run(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    name,
    String(ms),
  );

/** The server's clock: real time plus the sandbox offset. All processes on a database share the offset, so they agree on deadlines. */
export async function createClock(store: Store, real: () => number, sandbox: boolean): Promise<MovableClock> {
  let offset = 0;
  const follow = async (q: Query) => {
    offset = Math.max(offset, await read(q, "clock_offset_ms"));
  };
  if (sandbox) await store.read(follow);
  const isShared = sandbox && store.shared;
  // Advances reserved by a process that died are dropped. With several processes, one of them may still be running its advance.
  if (sandbox && !isShared) await store.write((tx) => write(tx, "clock_booked_ms", offset));

  return {
    real,
    now: () => real() + offset,
    async moveTo(now) {
      const next = now - real();
      if (next <= offset) return;
      await store.write(async (tx) => {
        if (next > (await read(tx, "clock_offset_ms"))) await write(tx, "clock_offset_ms", next);
      });
      offset = Math.max(offset, next);
    },
    async book(ms) {
      const asked = real();
      return store.write(async (tx) => {
        const booked = Math.max(await read(tx, "clock_offset_ms"), await read(tx, "clock_booked_ms")) + ms;
        await write(tx, "clock_booked_ms", booked);
        return asked + booked;
      });
    },
    ...(isShared && { follow }),
  };
}
