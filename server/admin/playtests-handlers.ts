import type { ReadTx } from "../app/tx.ts";
import type { Handlers } from "../http/call.ts";
import { notFound } from "../lib/api-error.ts";
import { iso, isoOrNull } from "../lib/time.ts";
import * as playtests from "../playtests/store.ts";
import { countedPlaytestView, playtesterView } from "../playtests/views.ts";
import * as store from "./playtests-store.ts";

async function views(q: ReadTx, rows: readonly store.OperatedRow[]) {
  const counts = await playtests.slotCounts(
    q,
    rows.map(({ id }) => id),
    q.now,
  );
  return rows.map((row) => {
    const shown = countedPlaytestView(row, counts.get(row.id)!, q.now);
    const { id, gameId, status, visibility, isFreePublicTrial, quantity, durationMinutes } = shown;
    return {
      ...{ id, gameId, status, visibility, isFreePublicTrial, quantity, durationMinutes },
      costPerSlotCents: row.cost_per_slot_cents,
      payoutCents: row.payout_cents,
      createdAt: shown.createdAt,
      gameName: row.game_name,
      gameStatus: row.game_status,
      owner: { id: row.owner_id, displayName: row.owner_name },
      slots: shown.slots,
      heldCents: row.held_cents,
      heldMinutes: row.held_minutes,
    };
  });
}

const slotView = (row: store.OperatedSlotRow) => ({
  id: row.id,
  status: row.status,
  playtester: playtesterView(row),
  deadlineAt: isoOrNull(row.deadline_at),
  submittedAt: isoOrNull(row.submitted_at),
  createdAt: iso(row.created_at),
});

export const operatedPlaytests = {
  async listAllPlaytests(call) {
    const page = call.page();
    const [rows, shown] = await call.read(async (q) => {
      const found = await store.list(q, call.query, page);
      return [found, new Map((await views(q, found)).map((one) => [one.id, one]))] as const;
    });
    return call.listed(page, rows, (items) => ({ playtests: items.map(({ id }) => shown.get(id)!) }));
  },

  getAnyPlaytest: (call) =>
    call.read(async (q) => {
      const row = await store.find(q, call.params.id);
      if (!row) throw notFound();
      const [playtest] = await views(q, [row]);
      return { playtest: playtest!, slots: (await store.slotsOf(q, row.id, q.now)).map(slotView) };
    }),
} satisfies Partial<Handlers>;
