import type { Tables } from "../database/schema/index.ts";
import { sha256 } from "../lib/secrets.ts";
import { iso } from "../lib/time.ts";

export type EntryRow = Tables["audit_entries"];

export type LinkRow = Tables["audit_links"];

/** The previous hash of the first entry. */
export const firstHash = "0".repeat(64);

const parsed = (json: string | null) => (json === null ? null : (JSON.parse(json) as Record<string, unknown>));

/** The fields of an entry as the API returns them. */
export const entryFields = (entry: EntryRow) => ({
  id: entry.id,
  createdAt: iso(entry.created_at),
  actorId: entry.actor_id,
  keyId: entry.key_id,
  sessionId: entry.session_id,
  address: entry.address,
  requestId: entry.request_id,
  action: entry.action,
  targetKind: entry.target_kind,
  targetId: entry.target_id,
  details: parsed(entry.details)!,
  before: parsed(entry.state_before),
  after: parsed(entry.state_after),
});

/**
 * The hash of an entry: SHA-256 of the compact JSON array of the previous hash, `seq` and the values of `entryFields` in their order,
 * as documented in `playtest help security`. Never change it: stored chains would no longer verify.
 */
export const hashOf = (previousHash: string, seq: number, entry: EntryRow): string =>
  sha256(JSON.stringify([previousHash, seq, ...Object.values(entryFields(entry))]));
