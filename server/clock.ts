import type { Clock } from "./deps.ts";
import type { Store } from "./store/db.ts";
import { insertRow } from "./store/rows.ts";

const setting = "clock_offset_ms";

export interface MovableClock extends Clock {
  /** Moves the server's time forward to `now` (ms), durably: a restarted sandbox goes on from there. Never back. */
  moveTo(now: number): Promise<void>;
}

/** The server's clock: real time plus the sandbox offset kept in the database (decisions §13). */
export async function createClock(store: Store, real: () => number, sandbox: boolean): Promise<MovableClock> {
  const saved = sandbox
    ? await store.read((q) => q.one<{ value: string }>("SELECT value FROM settings WHERE name = ?", setting))
    : undefined;
  let offset = Number(saved?.value ?? 0);
  return {
    real,
    now: () => real() + offset,
    async moveTo(now) {
      const next = Math.max(offset, now - real());
      if (next === offset) return;
      await store.write(async (tx) => {
        await tx.run("DELETE FROM settings WHERE name = ?", setting);
        await insertRow(tx, "settings", { name: setting, value: String(next) });
      });
      offset = next;
    },
  };
}
