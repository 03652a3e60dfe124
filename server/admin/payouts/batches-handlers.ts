import type { Handlers } from "../../http/call.ts";
import { createBatch, instructionsOf, requireBatch, settleBatch } from "./batches.ts";
import * as store from "./store.ts";
import { batchView } from "./views.ts";

export const payoutBatches = {
  async listPayoutBatches(call) {
    const page = call.page();
    const rows = await call.read((q) => store.listBatches(q, page));
    return call.listed(page, rows, (items) => ({ batches: items.map(batchView) }));
  },

  getPayoutBatch: (call) => call.read(async (q) => ({ batch: batchView(await requireBatch(q, call.params.id)) })),

  createPayoutBatch: (call) =>
    call.commit(async (tx, trail) => {
      const { method = null, minCents } = call.body;
      const { batch, skipped } = await createBatch(tx, { createdBy: call.principal.userId, method, minCents });
      trail.created(batch.id);
      return { batch: batchView(batch), skipped };
    }),

  readPayoutInstructions: (call) =>
    call.commit(async (tx) => {
      const batch = await requireBatch(tx, call.params.id);
      return { payments: await instructionsOf(tx, batch.id, call.body.method) };
    }),

  settlePayoutBatch: (call) =>
    call.commit(async (tx) => {
      const { id } = await requireBatch(tx, call.params.id);
      const results = await settleBatch(tx, id, call.body.rows);
      return { batch: batchView(await requireBatch(tx, id)), results };
    }),
} satisfies Partial<Handlers>;
