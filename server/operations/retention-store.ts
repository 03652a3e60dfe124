import type { Query } from "../database/port.ts";

/** Removes at most `limit` rows that were over at `before` (ms); how many. */
export type Removal = (tx: Query, before: number, limit: number) => Promise<number>;

const from =
  (table: string, key: string, over: string): Removal =>
  (tx, before, limit) =>
    tx.run(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${over} LIMIT CAST(? AS INTEGER))`,
      before,
      limit,
    );

export const replies = from("idempotency", "account_id, idempotency_key", "expires_at <= ?");
export const sessions = from("sessions", "hash", "expires_at <= ?");
export const tokens = from("one_time_tokens", "hash", "expires_at <= ?");
export const processorEvents = from("processor_events", "provider, event_id", "received_at <= ?");
/** Of those that were sent or given up: some hold links that were for one reader. */
export const mails = from("mails", "id", "created_at <= ? AND (sent_at IS NOT NULL OR failed_at IS NOT NULL)");

const marks = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** Deliveries with their attempts, but for those on their way. Found by their ids, which begin with their time. */
export const deliveries: Removal = async (tx, before, limit) => {
  const found = await tx.all<{ id: string }>(
    "SELECT id FROM webhook_deliveries WHERE id < ? AND created_at <= ? AND state <> 'pending' ORDER BY id LIMIT CAST(? AS INTEGER)",
    idsAfter(before),
    before,
    limit,
  );
  if (found.length === 0) return 0;
  const ids = found.map(({ id }) => id);
  await tx.run(`DELETE FROM webhook_attempts WHERE delivery_id IN (${marks(ids)})`, ...ids);
  return tx.run(`DELETE FROM webhook_deliveries WHERE id IN (${marks(ids)})`, ...ids);
};

/** What stands between the UUIDv7 of this millisecond and those of the next. */
function idsAfter(ms: number): string {
  const digits = (ms + 1).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
}
