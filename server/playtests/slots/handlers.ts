import { plural } from "../../../src/contract/text/plural.ts";
import { reviewLimitHeader } from "../../../src/contract/text/review-limit.ts";
import * as keys from "../../accounts/keys-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import type { Caller, Handlers } from "../../http/call.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { closeWhenFull } from "../applications/service.ts";
import { posterOf } from "../moments/stills-store.ts";
import { stillLink } from "../moments/views.ts";
import * as consents from "../publications/consents-store.ts";
import * as publications from "../publications/store.ts";
import { cancelClaimed } from "../schedule/moves.ts";
import * as playtests from "../store.ts";
import { type OwnParts, ownSlotView, slotDetailView, slotView, submissionItemView } from "../views.ts";
import { buildOf } from "./builds-store.ts";
import { cancelBlocked, unblock } from "./report-moves.ts";
import { accept, reject } from "./review.ts";
import * as slotStore from "./store.ts";
import { cancelOpen, finishPlaytest } from "./transitions.ts";

async function ownParts(deps: Deps, q: Query, slot: slotStore.SlotDetailRow): Promise<OwnParts> {
  const isPublic = slot.visibility === "public";
  const [build, poster, publication, consent] = await Promise.all([
    slot.reserved_at === null ? undefined : buildOf(q, slot),
    slot.submission_id === null ? undefined : posterOf(q, slot.id),
    isPublic ? publications.ofSlot(q, slot.id) : undefined,
    isPublic ? consents.ofSlot(q, slot.id) : undefined,
  ]);
  return { build, posterUrl: poster ? stillLink(deps, poster) : null, publication, consent };
}

/** The owner's slot, locked with its playtest. */
async function own(tx: Query, slotId: string, ownerId: string) {
  playtests.lockOfSlot(tx, slotId);
  const slot = await slotStore.find(tx, slotId);
  const playtest = slot?.owner_id === ownerId ? await playtests.find(tx, slot.playtest_id) : undefined;
  if (!slot || !playtest) throw notFound();
  return { slot, playtest };
}

const dayMs = 24 * 3_600_000;

/** Counts a review whose request limits how many its API key makes in a UTC day. 409 for one too many. */
async function countReview(
  tx: Tx,
  { principal, headers }: { principal: Caller; headers: { [reviewLimitHeader]?: number | undefined } },
) {
  const most = headers[reviewLimitHeader];
  if (most === undefined || principal.sessionId !== null) return;
  const day = tx.now - (tx.now % dayMs);
  if (await keys.countReview(tx, principal.keyId, day, most)) return;
  throw conflict(
    `This API key has made ${plural(most, "review")} today, the most that its program allows in a UTC day. Nothing was changed. Review the rest yourself, or continue tomorrow.`,
  );
}

async function cancel(tx: Tx, playtest: playtests.PlaytestRow, slot: slotStore.SlotRow) {
  if (slotStore.isIn(slot, "blocked")) return cancelBlocked(tx, playtest, slot, "cancelled");
  const refund = slotStore.isIn(slot, "reserved")
    ? await cancelClaimed(tx, playtest, slot)
    : await cancelOpen(tx, playtest, slot);
  await closeWhenFull(tx, playtest);
  await finishPlaytest(tx, playtest);
  return refund;
}

const shown = async (q: ReadTx, slotId: string) => slotDetailView((await slotStore.findDetail(q, slotId))!, q.now);

export const slots = {
  async listSlots(call) {
    const page = call.page();
    const rows = await call.read(async (q) => {
      if (!(await playtests.findForOwner(q, call.params.id, call.principal.userId))) throw notFound();
      return slotStore.listForPlaytest(q, call.params.id, page);
    });
    return call.listed(page, rows, (items) => ({ slots: items.map((slot) => slotView(slot, call.deps.clock.now())) }));
  },

  getSlot: (call) =>
    call.read(async (q) => {
      const slot = await slotStore.findForOwner(q, call.params.id, call.principal.userId);
      if (!slot) throw notFound();
      return { slot: ownSlotView(slot, await ownParts(call.deps, q, slot), q.now) };
    }),

  deleteSlot: (call) =>
    call.commit(async (tx) => {
      const { slot, playtest } = await own(tx, call.params.id, call.principal.userId);
      const { cents, minutes } = await cancel(tx, playtest, slot);
      return { message: "The slot is cancelled.", refundedCents: cents, refundedMinutes: minutes };
    }, playtests.rowLocks),

  acceptSlot: (call) =>
    call.commit(async (tx) => {
      const { slot, playtest } = await own(tx, call.params.id, call.principal.userId);
      await countReview(tx, call);
      const { rating, comment } = call.body;
      return { message: await accept(tx, playtest, slot, { score: rating ?? null, comment: comment ?? null }) };
    }, playtests.rowLocks),

  rejectSlot: (call) =>
    call.commit(async (tx) => {
      const { slot, playtest } = await own(tx, call.params.id, call.principal.userId);
      await countReview(tx, call);
      const { reason, allowRetry } = call.body;
      return { message: await reject(tx, playtest, slot, { reason: reason ?? "", allowRetry }) };
    }, playtests.rowLocks),

  unblockSlot: (call) =>
    call.commit(async (tx) => {
      const found = await slotStore.find(tx, call.params.id);
      const ownerId = call.principal.role === "admin" ? found?.owner_id : call.principal.userId;
      const { slot, playtest } = await own(tx, call.params.id, ownerId ?? "");
      const { message = null, keys } = call.body;
      await unblock(tx, playtest, slot, { message, keys });
      return { slot: await shown(tx, slot.id) };
    }),

  async listSubmissions(call) {
    const page = call.page();
    const rows = await call.read((q) => slotStore.listForOwner(q, call.principal.userId, call.query.status, q.now, page));
    return call.listed(page, rows, (items) => ({
      submissions: items.map((slot) => submissionItemView(slot, call.deps.clock.now())),
    }));
  },
} satisfies Partial<Handlers>;
