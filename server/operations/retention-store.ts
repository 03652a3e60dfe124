import * as users from "../accounts/users-store.ts";
import type { Isolation, Query, Value } from "../database/port.ts";

export interface Removal {
  isolation: Isolation;
  /** Removes at most `limit` rows that ended before `before` (ms). Returns how many. */
  remove(tx: Query, before: number, limit: number): Promise<number>;
}

/** Row locks are enough: one statement, which repeats its condition outside of the selection, as a row may have changed since then. */
const from = (table: string, key: string, over: string): Removal => ({
  isolation: "rows",
  remove: (tx, before, limit) =>
    tx.run(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${over} LIMIT CAST(? AS INTEGER)) AND ${over}`,
      before,
      limit,
      before,
    ),
});

export const replies = from("idempotency", "account_id, idempotency_key", "expires_at <= ?");
export const sessions = from("sessions", "hash", "expires_at <= ?");
export const emailChanges = from("email_changes", "user_id", "expires_at <= ?");
export const tokens = from("one_time_tokens", "hash", "expires_at <= ?");
/** Programs that asked to be connected, and about which nobody decided. */
export const openConnectionRequests = from("connection_requests", "id", "expires_at <= ? AND decided_at IS NULL");
export const connectionRequests = from("connection_requests", "id", "expires_at <= ?");
/** Also refresh tokens that were exchanged: until they expire, a second use of one tells that it was stolen. */
export const connectionTokens = from("connection_tokens", "hash", "expires_at <= ?");
export const shares = from("shares", "id", "expires_at <= ?");
export const passkeyChallenges = from("passkey_challenges", "bound_to", "expires_at <= ?");
/** Authenticator apps whose set-up was not completed. */
export const unfinishedFactors = from("second_factors", "user_id", "created_at <= ? AND enabled_at IS NULL");
export const wrongPasswords = from("wrong_passwords", "account", "forgotten_at <= ?");
export const requestCounts = from("request_counts", "caller", "counted_at <= ?");
export const processorEvents = from("processor_events", "provider, event_id", "received_at <= ?");
/** Emails that were sent or failed. Some contain sign-in links, so they are not kept longer than necessary. */
export const mails = from("mails", "id", "created_at <= ? AND (sent_at IS NOT NULL OR failed_at IS NOT NULL)");

/** Accounts whose address nobody verified. */
export const unverifiedAccounts: Removal = {
  isolation: "serializable",
  async remove(tx, before, limit) {
    const found = await users.listUnverified(tx, before, limit);
    for (const { id } of found) await users.removeUnverified(tx, id);
    return found.length;
  },
};

const marks = (values: readonly unknown[]) => values.map(() => "?").join(", ");

/** Removes the webhook deliveries that a query finds, with their attempts. Its parameters are those of `remove`. */
const deliveriesIn = (select: string, ...parameters: ((before: number) => Value)[]): Removal => ({
  isolation: "serializable",
  async remove(tx, before, limit) {
    const values = parameters.map((of) => of(before));
    const found = await tx.all<{ id: string }>(`${select} LIMIT CAST(? AS INTEGER)`, ...values, limit);
    if (found.length === 0) return 0;
    const ids = found.map(({ id }) => id);
    await tx.run(`DELETE FROM webhook_attempts WHERE delivery_id IN (${marks(ids)})`, ...ids);
    return tx.run(`DELETE FROM webhook_deliveries WHERE id IN (${marks(ids)})`, ...ids);
  },
});

/** Webhook deliveries, except pending ones. Selected by their ids, which begin with their creation time. */
export const deliveries = deliveriesIn(
  "SELECT id FROM webhook_deliveries WHERE id < ? AND created_at <= ? AND state <> 'pending' ORDER BY id",
  idsAfter,
  (before) => before,
);

export const deliveriesOfDeleted = deliveriesIn(
  "SELECT id FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE deleted_at <= ?)",
  (before) => before,
);
export const deletedWebhooks = from(
  "webhooks",
  "id",
  "deleted_at <= ? AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = webhooks.id)",
);

/** A text that sorts after every UUIDv7 of this millisecond and before those of the next. */
function idsAfter(ms: number): string {
  const digits = (ms + 1).toString(16).padStart(12, "0");
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
}
