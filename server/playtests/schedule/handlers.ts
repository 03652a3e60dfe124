import type { ReadTx } from "../../app/tx.ts";
import type { Handlers } from "../../http/call.ts";
import { conflict } from "../../lib/api-error.ts";
import * as slots from "../slots/store.ts";
import { own, requireClaimant, shown } from "../slots/tester-handlers.ts";
import * as playtests from "../store.ts";
import { answer } from "./moves.ts";

/** The slot of its claimant, locked with its playtest, reserved or blocked. */
async function ownHeld(q: ReadTx, slotId: string, playtesterId: string) {
  playtests.lockOfSlot(q, slotId);
  const [held, slot] = await Promise.all([own(q, slotId, playtesterId), slots.find(q, slotId)]);
  requireClaimant(held, playtesterId);
  if (slots.isIn(slot!, "reserved", "blocked")) return slot;
  throw conflict(`No other time is proposed for this slot: it is ${slot!.status}. Nothing was changed.`);
}

export const schedule = {
  rescheduleSlot: (call) =>
    call.commit(async (tx) => {
      const slot = await ownHeld(tx, call.params.id, call.principal.userId);
      await answer(tx, (await playtests.find(tx, slot.playtest_id))!, slot, call.body);
      return shown(call.deps, tx, slot.id, call.principal.userId);
    }),
} satisfies Partial<Handlers>;
