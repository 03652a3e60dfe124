import { type Page, paged } from "../database/keyset.ts";
import type { Query, Value } from "../database/port.ts";
import { insertRow, insertRows } from "../database/rows.ts";
import type { EntryRow, LinkRow } from "./chain.ts";

export async function insert(tx: Query, entry: EntryRow): Promise<void> {
  await insertRow(tx, "audit_entries", entry);
  await insertRow(tx, "audit_pending", { entry_id: entry.id });
}

/** Entries that are not in the chain yet, oldest first. */
export const pending = (q: Query, limit: number) =>
  q.all<EntryRow>(
    `SELECT e.* FROM audit_pending p JOIN audit_entries e ON e.id = p.entry_id ORDER BY e.created_at, e.id LIMIT CAST(? AS INTEGER)`,
    limit,
  );

export const lastLink = (q: Query) => q.one<LinkRow>("SELECT seq, entry_id, hash FROM audit_links ORDER BY seq DESC LIMIT 1");

/** Adds links to the chain. `links` must not be empty. */
export async function insertLinks(tx: Query, links: readonly LinkRow[]): Promise<void> {
  await insertRows(tx, "audit_links", links);
  await tx.run(
    `DELETE FROM audit_pending WHERE entry_id IN (${links.map(() => "?").join(", ")})`,
    ...links.map(({ entry_id }) => entry_id),
  );
}

/** An entry with its position in the chain, and nulls while it is not in the chain. */
export type ChainedRow = EntryRow & { [Field in "seq" | "hash"]: LinkRow[Field] | null } & { previous_hash: string | null };

export interface Filter {
  actor?: string | undefined;
  action?: string | undefined;
  target?: string | undefined;
}

export function list(q: Query, { actor, action, target }: Filter, page: Page) {
  const wanted = Object.entries({ actor_id: actor, action, target_id: target }).filter(([, value]) => value !== undefined);
  const conditions = ["1 = 1", ...wanted.map(([column]) => `e.${column} = ?`)].join(" AND ");
  return paged(q, page, "e").all<ChainedRow>(
    `SELECT e.*, l.seq, l.hash, p.hash AS previous_hash FROM audit_entries e LEFT JOIN audit_links l ON l.entry_id = e.id
      LEFT JOIN audit_links p ON p.seq = l.seq - 1 WHERE ${conditions}`,
    ...wanted.map(([, value]) => value as Value),
  );
}

/** Links after position `seq`, in order, each with its entry. The entry's fields are null if it is missing. */
export const linksAfter = (q: Query, seq: number, limit: number) =>
  q.all<LinkRow & { [Field in keyof EntryRow]: EntryRow[Field] | null }>(
    `SELECT l.seq, l.entry_id, l.hash, e.* FROM audit_links l LEFT JOIN audit_entries e ON e.id = l.entry_id
      WHERE l.seq > ? ORDER BY l.seq LIMIT CAST(? AS INTEGER)`,
    seq,
    limit,
  );

/** Ids of entries that are neither in the chain nor pending, and of pending entries that do not exist. */
export const strays = async (q: Query) =>
  (
    await q.all<{ id: string }>(
      `SELECT e.id FROM audit_entries e WHERE NOT EXISTS (SELECT 1 FROM audit_links l WHERE l.entry_id = e.id)
          AND NOT EXISTS (SELECT 1 FROM audit_pending p WHERE p.entry_id = e.id)
        UNION ALL SELECT p.entry_id FROM audit_pending p WHERE NOT EXISTS (SELECT 1 FROM audit_entries e WHERE e.id = p.entry_id)`,
    )
  ).map(({ id }) => id);
