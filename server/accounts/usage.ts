import type { ServerStore } from "../app/tx.ts";
import type { Query } from "../database/port.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";

const everyMs = 60_000;

type Used = readonly (readonly [id: string, at: number])[];

/** Records when keys or sessions were last used. */
export interface Usage {
  touch(id: string, lastUsedAt: number | null): void;
  flush(): Promise<void>;
}

interface Parts {
  clock: Clock;
  store: ServerStore;
  log: Log;
}

/** Records uses in the background, at most once per minute for each id. One instance per server. */
export function createUsage(deps: Parts, what: string, write: (tx: Query, used: Used) => Promise<void>): Usage {
  const pending = new Map<string, number>();
  const usage: Usage = {
    touch(id, lastUsedAt) {
      const now = deps.clock.now();
      if (lastUsedAt !== null && now - lastUsedAt < everyMs) return;
      if (pending.has(id)) return;
      pending.set(id, now);
      if (pending.size === 1)
        setImmediate(() => usage.flush().catch((error) => deps.log.warn({ err: error }, `could not record ${what} usage`)));
    },
    async flush() {
      // In one order, so that two processes do not wait for each other in a circle.
      const batch = [...pending].sort(([a], [b]) => (a < b ? -1 : 1));
      pending.clear();
      // Row locks are enough: each row is changed by one statement, and what is read of it decides nothing.
      if (batch.length > 0) await deps.store.write((tx) => write(tx, batch), { isolation: "rows" });
    },
  };
  return usage;
}
