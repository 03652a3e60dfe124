import * as keys from "../../accounts/keys-store.ts";
import type { Tx } from "../../app/tx.ts";
import { withinBudgets } from "../../billing/budgets/spending.ts";
import { type Caller, CommittedError, type Handlers } from "../../http/call.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { replyTo } from "../order-handlers.ts";
import { PriceChanged, placeOrder } from "../orders.ts";
import { askAgain, conclude, requireDecidable } from "./service.ts";
import * as store from "./store.ts";
import { orderOf, viewOf, viewsOf } from "./views.ts";

async function ownApproval(q: Parameters<typeof store.findForOwner>[0], id: string, ownerId: string): Promise<store.ApprovalRow> {
  const row = await store.findForOwner(q, id, ownerId);
  if (!row) throw notFound();
  return row;
}

/** The key that ordered, which must still work: an order of a revoked key is nobody's wish any more. */
async function requester(tx: Tx, row: store.ApprovalRow): Promise<Caller> {
  if (!(await keys.isLive(tx, row.key_id, tx.now)))
    throw conflict("The API key that ordered was revoked or has expired. Nothing was ordered or charged. Decline the order.");
  return { userId: row.owner_id, keyId: row.key_id, sessionId: null };
}

export const orderApprovals = {
  async listOrderApprovals(call) {
    const page = call.page();
    const { rows, views } = await call.read(async (q) => {
      const rows = await store.listForOwner(q, call.principal.userId, { status: call.query.status, now: q.now }, page);
      return { rows, views: await viewsOf(q, rows) };
    });
    return call.listed(page, rows, ({ length }) => ({ approvals: views.slice(0, length) }));
  },

  getOrderApproval: (call) =>
    call.read(async (q) => ({ approval: await viewOf(q, await ownApproval(q, call.params.id, call.principal.userId)) })),

  approveOrder(call) {
    const { deps, principal, params } = call;
    const approve = async (tx: Tx) => {
      const row = await requireDecidable(tx, await ownApproval(tx, params.id, principal.userId), principal);
      const caller = await requester(tx, row);
      const order = orderOf(tx, row);
      try {
        const wish = { gameId: row.game_id, caller, approvedCents: row.total_cents };
        const placed = await placeOrder(deps, tx, wish, order, row.method);
        const ended = await conclude(tx, row, "approve", { caller: principal, playtestId: placed.playtest.id });
        return { approval: await viewOf(tx, ended), order: await replyTo(deps, tx, placed, row.method === "card") };
      } catch (error) {
        if (!(error instanceof PriceChanged)) throw error;
        const { id } = await askAgain(tx, row, error.totalCents, order);
        const message = `The price is ${usd(error.totalCents)} now, not ${usd(row.total_cents)}. Nothing was ordered or charged. To order at the new price, approve ${id} instead.`;
        return new CommittedError(conflict(message), 0);
      }
    };
    return call.commit((tx) => withinBudgets(tx, () => approve(tx)));
  },

  declineOrder: (call) =>
    call.commit(async (tx) => {
      const row = await requireDecidable(tx, await ownApproval(tx, call.params.id, call.principal.userId), call.principal);
      const ended = await conclude(tx, row, "decline", { caller: call.principal, reason: call.body.reason });
      return { approval: await viewOf(tx, ended) };
    }),
} satisfies Partial<Handlers>;
