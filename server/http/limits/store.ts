import type { Query } from "../../database/port.ts";

/** Counts requests of a caller, and returns how many all processes counted so far. One statement, so that none is lost. */
export async function add(tx: Query, caller: string, count: number, now: number): Promise<number> {
  const row = await tx.one<{ counted: number }>(
    `INSERT INTO request_counts (caller, counted, counted_at) VALUES (?, ?, ?) ON CONFLICT (caller) DO UPDATE SET
      counted = request_counts.counted + excluded.counted, counted_at = excluded.counted_at RETURNING counted`,
    caller,
    count,
    now,
  );
  return row!.counted;
}
