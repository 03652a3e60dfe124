import type { Query } from "../database/port.ts";
import type { Handlers } from "../http/call.ts";
import { paymentView } from "./invoices/views.ts";
import { refundSuspense, resolveSuspense } from "./suspense.ts";
import * as store from "./suspense-store.ts";
import { suspenseView } from "./views.ts";

const entryOf = async (q: Query, id: string) => ({ suspense: suspenseView((await store.find(q, id))!) });
/** Unmatched crypto deposits, and the decisions of admins on them. */
export const suspense = {
  async listSuspense(call) {
    const page = call.page();
    const rows = await call.read((q) => store.list(q, call.query.status ?? "suspense", page));
    return call.listed(page, rows, (items) => ({ suspense: items.map(suspenseView) }));
  },

  resolveSuspense: (call) =>
    call.commit(async (tx) => {
      const { userId: ownerId, rateCents: rate, note } = call.body;
      const decision = { adminId: call.principal.userId, note, ownerId, rate };
      const payment = await resolveSuspense(tx, call.params.id, decision);
      return { ...(await entryOf(tx, call.params.id)), payment: await paymentView(tx, payment) };
    }),

  refundSuspense: (call) =>
    call.commit(async (tx) => {
      await refundSuspense(tx, call.params.id, { adminId: call.principal.userId, note: call.body.note });
      return entryOf(tx, call.params.id);
    }),
} satisfies Partial<Handlers>;
