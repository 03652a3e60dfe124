import { jobStatuses } from "../../../src/contract/states/index.ts";
import { bytes, int, oneOf, orElse, orNull, text } from "./columns.ts";

// biome-ignore format: several columns in a line, as in the migrations
export const operation = {
  idempotency: {
    account_id: text, idempotency_key: text, fingerprint: text, status: int, headers: text, body: bytes, created_at: int,
    expires_at: int,
  },
  settings: { name: text, value: text },
  jobs: {
    id: text, kind: text, unique_key: text, payload: text, account: orNull(text), run_at: int,
    /** How often it was started since it was queued. */
    attempts: int,
    /** How often it failed in a row. */
    failures: orElse(int, 0),
    lease_token: orNull(text), state: oneOf(jobStatuses), lease_until: int, last_error: orNull(text), created_at: int,
    /** The trace of the work that queued it, as `traceText` has it. */
    trace: orNull(text),
  },
  request_counts: { caller: text, counted: int, counted_at: int },
  /** An entry of the audit log as it is stored. `details`, `state_before` and `state_after` are JSON objects. */
  audit_entries: {
    id: text,
    /** The account that acted. Null for the server itself, or when the request does not identify an account. */
    actor_id: orNull(text),
    key_id: orNull(text), session_id: orNull(text), address: orNull(text), request_id: orNull(text), action: text,
    target_kind: text, target_id: text, details: text, state_before: orNull(text), state_after: orNull(text), created_at: int,
  },
  /** The position of an entry in the hash chain. `seq` counts from 1. */
  audit_links: { seq: int, entry_id: text, hash: text },
  audit_pending: { entry_id: text },
};
