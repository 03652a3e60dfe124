import { type ApprovalStatus, approvalMoves } from "../../../src/contract/states/index.ts";
import { keyset, type Page } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { insertRow } from "../../database/rows.ts";
import { stateMachine } from "../../database/state-machine.ts";
import type { PaymentMethod } from "../rules.ts";

export interface ApprovalRow {
  id: string;
  owner_id: string;
  /** The API key that ordered. */
  key_id: string;
  game_id: string;
  method: PaymentMethod;
  /** The order as JSON, sealed: it may have game keys. */
  sealed: string;
  /** SHA-256 of the game, the order and the method. */
  body_hash: string;
  /** The idempotency key of the request, if it had one. */
  request_key: string | null;
  total_cents: number;
  status: ApprovalStatus;
  reason: string | null;
  playtest_id: string | null;
  created_at: number;
  expires_at: number;
  decided_at: number | null;
  /** The key or session that decided; null for the time. */
  decided_by: string | null;
}

/** What `sealed` is sealed for. */
export const sealingContext = (id: string) => `order approval ${id}`;

export const { isIn, requireMove, transition } = stateMachine<ApprovalRow, typeof approvalMoves>({
  noun: "order",
  table: "order_approvals",
  moves: approvalMoves,
});

export const find = (q: Query, id: string) => q.one<ApprovalRow>("SELECT * FROM order_approvals WHERE id = ?", id);

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<ApprovalRow>("SELECT * FROM order_approvals WHERE id = ? AND owner_id = ?", id, ownerId);

export const insert = (tx: Query, row: ApprovalRow) => insertRow(tx, "order_approvals", row);

export const countPending = async (q: Query, ownerId: string): Promise<number> =>
  (await q.one<{ n: number }>("SELECT COUNT(*) AS n FROM order_approvals WHERE owner_id = ? AND status = 'pending'", ownerId))!.n;

/** The newest request of a key for this very order, under the same idempotency key or both times without one. */
export const findSame = (q: Query, { owner_id, key_id, body_hash, request_key }: ApprovalRow) =>
  q.one<ApprovalRow>(
    `SELECT * FROM order_approvals WHERE owner_id = ? AND key_id = ? AND body_hash = ? AND COALESCE(request_key, '') = ?
      ORDER BY created_at DESC, id DESC LIMIT 1`,
    owner_id,
    key_id,
    body_hash,
    request_key ?? "",
  );

/** Whether an order was placed because a person approved it. */
export const wasApproved = async (q: Query, playtestId: string): Promise<boolean> =>
  (await q.one("SELECT id FROM order_approvals WHERE playtest_id = ? AND status = 'approved'", playtestId)) !== undefined;

/** The approvals of an owner at `now` (ms), of a status if that is given. One whose time has passed is expired. */
export function listForOwner(
  q: Query,
  ownerId: string,
  { status, now }: { status: ApprovalStatus | undefined; now: number },
  page: Page,
) {
  const { sql, values } = keyset(page, "a");
  const present = "CASE WHEN a.status = 'pending' AND a.expires_at <= ? THEN 'expired' ELSE a.status END";
  const only = status === undefined ? "" : `AND ${present} = ?`;
  return q.all<ApprovalRow>(
    `SELECT a.* FROM order_approvals a WHERE a.owner_id = ? ${only} ${sql}`,
    ownerId,
    ...(status === undefined ? [] : [now, status]),
    ...values,
  );
}

/** The names of these keys, also of those that were revoked. */
export async function keyNames(q: Query, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await q.all<{ id: string; name: string }>(
    `SELECT id, name FROM api_keys WHERE id IN (${ids.map(() => "?").join(", ")})`,
    ...ids,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}
