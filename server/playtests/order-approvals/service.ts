import type { Order } from "../../../src/contract/order-body.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import { bindingOn, needsApproval } from "../../billing/budgets/service.ts";
import { emit } from "../../events/emit.ts";
import { mailUserAbout } from "../../events/event-mails.ts";
import * as games from "../../games/store.ts";
import { Accepted, type Caller, Existing } from "../../http/call.ts";
import type { Job } from "../../jobs/job.ts";
import { conflict, forbidden } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { utc } from "../../lib/time.ts";
import { orderApprovalLetter } from "../letters.ts";
import type { PaymentMethod } from "../rules.ts";
import * as playtests from "../store.ts";
import { playtestView } from "../views.ts";
import * as store from "./store.ts";
import { orderOf, statusAt, viewOf } from "./views.ts";

type Row = store.ApprovalRow;

const validMs = 24 * 3_600_000;
const maxPending = 100;

export interface Wish {
  caller: Caller;
  gameId: string;
  order: Order;
  method: PaymentMethod;
  totalCents: number;
  requestKey: string | undefined;
}

function rowOf(tx: Tx, { caller, gameId, order, method, totalCents, requestKey }: Wish): Row {
  const id = tx.newId();
  return {
    id,
    owner_id: caller.userId,
    key_id: caller.keyId,
    game_id: gameId,
    method,
    sealed: tx.secrets.seal(JSON.stringify(order), store.sealingContext(id)),
    body_hash: store.hashOf({ gameId, order, method }),
    request_key: requestKey ?? null,
    total_cents: totalCents,
    status: "pending",
    reason: null,
    playtest_id: null,
    created_at: tx.now,
    expires_at: tx.now + validMs,
    decided_at: null,
    decided_by: null,
  };
}

/** What became of a request that asked for approval before: it waits still, or the order that was placed. */
export async function answerAgain(tx: Tx, approval: Row) {
  const placed = approval.playtest_id === null ? undefined : await playtests.find(tx, approval.playtest_id);
  if (placed) return new Existing({ playtest: playtestView(placed) });
  return new Accepted({ approval: await viewOf(tx, approval), needsApproval: true });
}

/** What to answer to an order that has to be approved: the same one waits already at this price, or its owner is asked. */
export async function askForApproval(tx: Tx, wish: Wish) {
  const row = rowOf(tx, wish);
  const same = await store.findSame(tx, row);
  if (same && statusAt(same, tx.now) === "pending" && same.total_cents === row.total_cents)
    return new Accepted({ approval: await viewOf(tx, same), needsApproval: true });
  return new Accepted({ approval: await viewOf(tx, await ask(tx, row)), needsApproval: true });
}

/** Stores what waits, and tells its owner. */
async function ask(tx: Tx, row: Row): Promise<Row> {
  if ((await store.countPending(tx, row.owner_id)) >= maxPending)
    throw conflict(
      `${maxPending} orders wait for approval, the most there can be. Nothing was ordered. Decide on some of them first.`,
    );
  await store.insert(tx, row);
  await tx.schedule({ kind: "expire-approval", key: row.id, payload: { approvalId: row.id }, runAt: row.expires_at });
  const { gameName, keyName } = await viewOf(tx, row);
  await emit(tx, [{ id: row.owner_id, role: "game_owner" }], {
    kind: "order.approval_requested",
    data: { ...aboutOf(row), expiresAt: new Date(row.expires_at).toISOString() },
    notice: { gameName, keyName, amountCents: row.total_cents, until: utc(row.expires_at) },
  });
  await mailUserAbout(tx, row.owner_id, "order.approval_requested", (zone) =>
    orderApprovalLetter({
      ...{ config: tx.config, gameName, keyName, approvalId: row.id, totalCents: row.total_cents, zone },
      waitsUntil: row.expires_at,
    }),
  );
  return row;
}

const aboutOf = (row: Row) => ({
  approvalId: row.id,
  gameId: row.game_id,
  keyId: row.key_id,
  totalCents: row.total_cents,
});

/** The order as it is kept once nothing waits for it: without its game keys. */
function sealedWithoutKeys(q: ReadTx, row: Row): string {
  const { keysForTesters: _, ...order } = orderOf(q, row);
  return q.secrets.seal(JSON.stringify(order), store.sealingContext(row.id));
}

/** Ends a wait, in the transaction of what was decided. 409 if somebody else decided. */
export async function conclude(
  tx: Tx,
  row: Row & { status: "pending" },
  move: "approve" | "decline" | "expire",
  decision: { caller?: Caller; reason?: string | undefined; playtestId?: string },
): Promise<Row> {
  const { caller, reason = null, playtestId = null } = decision;
  const ended = await store.transition(tx, row, move, {
    sealed: sealedWithoutKeys(tx, row),
    reason,
    playtest_id: playtestId,
    decided_at: tx.now,
    decided_by: caller ? (caller.sessionId ?? caller.keyId) : null,
  });
  const game = await games.find(tx, row.game_id);
  await emit(tx, [{ id: row.owner_id, role: "game_owner" }], {
    kind: "order.approval_decided",
    data: { ...aboutOf(row), verdict: ended.status, playtestId },
    notice: { gameName: game?.name, amountCents: row.total_cents, verdict: ended.status },
  });
  return ended;
}

/** The approval that a caller may decide on now. 409 if it was decided, 403 for a key that could not have placed the order by itself. */
export async function requireDecidable(q: ReadTx, row: Row, caller: Caller): Promise<Row & { status: "pending" }> {
  const status = statusAt(row, q.now);
  if (status !== "pending" || !store.isIn(row, "pending"))
    throw conflict(`This order is ${status}, so it does not wait any more. Nothing was changed.`);
  if (caller.sessionId !== null) return row;
  const own = await bindingOn(q, caller, row.game_id);
  if (caller.keyId === row.key_id || needsApproval(caller, own, row.total_cents))
    throw forbidden(
      "An API key whose own orders of this price wait for approval cannot approve them. Nothing was changed. Use another key, or sign in to Studio.",
    );
  return row;
}

/** The price changed since an order was asked for: what was asked ends, and the new price is asked for. */
export async function askAgain(tx: Tx, row: Row & { status: "pending" }, totalCents: number, order: Order): Promise<Row> {
  await conclude(tx, row, "decline", { reason: `The price changed to ${usd(totalCents)}.` });
  const caller = { userId: row.owner_id, keyId: row.key_id, sessionId: null };
  const { game_id: gameId, method, request_key: requestKey } = row;
  return ask(tx, rowOf(tx, { caller, gameId, order, method, totalCents, requestKey: requestKey ?? undefined }));
}

/** Ends the wait of an order that nobody decided on. */
export const expireApproval = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    const row = await store.find(tx, String(job.payload.approvalId));
    if (row && store.isIn(row, "pending") && row.expires_at <= tx.now) await conclude(tx, row, "expire", {});
    await job.done(tx);
  });
