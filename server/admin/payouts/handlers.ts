import type { Handlers } from "../../http/call.ts";
import { listOwed, totalOwed } from "./owed.ts";
import { completePayout, failPayout, recordPayout, requirePayout } from "./payout.ts";
import * as store from "./store.ts";
import { owedView, payoutView } from "./views.ts";

export const payouts = {
  async listOwed(call) {
    const page = call.page();
    const { rows, totals } = await call.read(async (q) => ({
      rows: await listOwed(q, page),
      totals: page.after ? null : await totalOwed(q),
    }));
    return call.listed(page, rows, (items) => ({ owed: items.map(owedView), totals }));
  },

  async listPayouts(call) {
    const page = call.page();
    const rows = await call.read((q) => store.list(q, call.query, page));
    return call.listed(page, rows, (items) => ({ payouts: items.map(payoutView) }));
  },

  createPayout: (call) =>
    call.commit(async (tx, trail) => {
      const { userId, amountCents } = call.body;
      const payout = await recordPayout(tx, userId, amountCents);
      trail.created(payout.id);
      return { payout: payoutView(payout) };
    }),

  completePayout: (call) =>
    call.commit(async (tx) => {
      const payout = await requirePayout(tx, call.params.id);
      return { payout: payoutView({ ...payout, ...(await completePayout(tx, payout)) }) };
    }),

  failPayout: (call) =>
    call.commit(async (tx) => {
      const payout = await requirePayout(tx, call.params.id);
      return { payout: payoutView({ ...payout, ...(await failPayout(tx, payout, call.body.failure)) }) };
    }),
} satisfies Partial<Handlers>;
