import type { Order } from "../../../src/contract/order-body.ts";
import { type ApprovalStatus, approvalMoves } from "../../../src/contract/states/index.ts";
import { canonicalJson } from "../../../src/contract/text/canonical-json.ts";
import { type Page, paged } from "../../database/keyset.ts";
import type { Query } from "../../database/port.ts";
import { countRows, findRow, insertRow } from "../../database/rows.ts";
import type { New, Tables } from "../../database/schema/index.ts";
import { stateMachine } from "../../database/state-machine.ts";
import type { Caller } from "../../http/call.ts";
import { sha256 } from "../../lib/secrets.ts";

export type ApprovalRow = Tables["order_approvals"];

/** What tells an order of a key from its others. */
export const hashOf = (order: { gameId: string; order: Order; method: ApprovalRow["method"] }) => sha256(canonicalJson(order));

/** Whether it waits at `now` (ms), or led to an order. */
export const stands = ({ status, expires_at, playtest_id }: ApprovalRow, now: number): boolean =>
  playtest_id !== null || (status === "pending" && expires_at > now);

/** What `sealed` is sealed for. */
export const sealingContext = (id: string) => `order approval ${id}`;

export const { isIn, requireMove, transition } = stateMachine({
  noun: "order",
  table: "order_approvals",
  moves: approvalMoves,
});

export const find = (q: Query, id: string) => findRow(q, "order_approvals", { id });

export const findForOwner = (q: Query, id: string, ownerId: string) => findRow(q, "order_approvals", { id, owner_id: ownerId });

export const insert = (tx: Query, row: New<"order_approvals">) => insertRow(tx, "order_approvals", row);

export const countPending = (q: Query, ownerId: string): Promise<number> =>
  countRows(q, "order_approvals", { owner_id: ownerId, status: "pending" });

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

/** The newest request for approval of a key under this idempotency key. */
export const findByRequest = (q: Query, { userId, keyId }: Pick<Caller, "userId" | "keyId">, requestKey: string) =>
  q.one<ApprovalRow>(
    `SELECT * FROM order_approvals WHERE owner_id = ? AND key_id = ? AND request_key = ? ORDER BY created_at DESC, id DESC LIMIT 1`,
    userId,
    keyId,
    requestKey,
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
  const present = "CASE WHEN a.status = 'pending' AND a.expires_at <= ? THEN 'expired' ELSE a.status END";
  const only = status === undefined ? "" : `AND ${present} = ?`;
  return paged(q, page, "a").all<ApprovalRow>(
    `SELECT a.* FROM order_approvals a WHERE a.owner_id = ? ${only}`,
    ownerId,
    ...(status === undefined ? [] : [now, status]),
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
