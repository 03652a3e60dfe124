import type { Handlers } from "../../http/call.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { availableFrom, unpaidOf } from "./earnings.ts";
import * as earnings from "./earnings-store.ts";

export const playtesterEarnings = {
  async getEarnings(call) {
    const page = call.page();
    const me = call.principal.userId;
    const { rows, unpaid, disputed, paidCents, pendingCents } = await call.read(async (q) => ({
      rows: await earnings.list(q, me, page),
      ...(await unpaidOf(q, me)),
      paidCents: await earnings.payoutCents(q, me, "completed"),
      pendingCents: await earnings.payoutCents(q, me, "pending"),
    }));
    return call.listed(page, rows, (items) => ({
      ...unpaid,
      nextReleaseAt: isoOrNull(unpaid.nextReleaseAt),
      heldUntil: isoOrNull(unpaid.heldUntil),
      paidCents,
      pendingCents,
      entries: items.map((entry) => ({
        id: entry.id,
        kind: entry.kind,
        amountCents: entry.amount_cents,
        slotId: entry.slot_id,
        gameName: entry.game_name,
        durationMinutes: entry.duration_minutes,
        payoutStatus: entry.payout_status,
        paidTo: entry.masked,
        failure: entry.failure,
        createdAt: iso(entry.created_at),
        availableFrom: disputed.has(entry.id) ? null : isoOrNull(availableFrom(call.deps, entry)),
        disputed: disputed.has(entry.id),
      })),
    }));
  },
} satisfies Partial<Handlers>;
