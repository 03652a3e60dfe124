import type { BlockReason } from "../../../src/contract/slots.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import type { Job } from "../../jobs/job.ts";
import { replaceKeys } from "../keys/service.ts";
import * as keyStore from "../keys/store.ts";
import { slotDeadline } from "../schedule/rules.ts";
import * as playtests from "../store.ts";
import { dealKeys, endRequests } from "../teams/asking.ts";
import { newestBuildTime } from "./builds-store.ts";
import { announce, resolve } from "./reports.ts";
import * as reports from "./reports-store.ts";
import * as slots from "./store.ts";
import { finishPlaytest, type Refund, refund, refundText, watchDeadline } from "./transitions.ts";

/** What becomes of a slot whose build cannot be played. Each function but the job runs inside the caller's transaction. */
type Playtest = playtests.PlaytestRow;

/** The playtester reports that the build cannot be played. The deadline is paused until the report is answered or its limit passes. */
export async function report(
  tx: Tx,
  slot: slots.SlotIn<"reserved">,
  why: { reasonCode: BlockReason; notes: string | null },
): Promise<void> {
  const now = tx.now;
  const blocked = await slots.transition(tx, slot, "report", { deadline_at: null });
  const row = await reports.insert(tx, {
    id: tx.newId(),
    slot_id: slot.id,
    reason_code: why.reasonCode,
    notes: why.notes,
    reported_at: now,
    answer_by: now + tx.config.orders.answerProblemWithinMs,
  });
  await watchLimit(tx, row);
  await announce(tx, blocked, row);
}

const watchLimit = (tx: Tx, { id, answer_by }: reports.ReportRow) =>
  tx.schedule({ kind: "resolve-problem", key: id, payload: { reportId: id }, runAt: answer_by! });

/**
 * Unblocks a slot: it is reserved for its playtester again, with the newest build, a new deadline as after a claim and, if given, new game
 * keys.
 */
export async function unblock(
  tx: Tx,
  playtest: Playtest,
  slot: slots.SlotRow,
  answer: { message: string | null; keys: readonly string[] | undefined },
): Promise<void> {
  const deadline = slotDeadline(playtest, slot.scheduled_at, tx.now);
  const isAhead = (slot.scheduled_at ?? 0) > tx.now;
  const changes = { deadline_at: deadline, build_at: isAhead ? null : await newestBuildTime(tx, slot.game_id, tx.now) };
  const reserved = await slots.transition(tx, slots.requireMove(slot, "unblock"), "unblock", changes);
  const { message, keys } = answer;
  if (keys) {
    await replaceKeys(tx, playtest, slot.id, keys);
    await dealKeys(tx, slot.id);
  }
  await watchDeadline(tx, reserved);
  await resolve(tx, reserved, { outcome: "unblocked", message, deadlineAt: deadline, newKeys: keys?.length ?? 0 });
}

/** Cancels a blocked slot. Its price or minutes are refunded and its playtester is not paid. */
export async function cancelBlocked(
  tx: Tx,
  playtest: Playtest,
  slot: slots.SlotIn<"blocked">,
  outcome: "cancelled" | "expired",
): Promise<Refund> {
  const cancelled = await slots.transition(tx, slot, "cancel", { ended_at: tx.now });
  await keyStore.retire(tx, slot.id, tx.now);
  const refunded = await refund(tx, playtest, cancelled, "slot_refund");
  await resolve(tx, cancelled, { outcome, refunded: refundText(refunded) });
  await endRequests(tx, cancelled, "cancelled");
  await finishPlaytest(tx, playtest);
  return refunded;
}

/** Cancels the slot of a report that nobody answered in time. A report from before there was a limit is announced, and gets one. */
export const resolveProblem = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    await job.done(tx);
    const row = await reports.find(tx, String(job.payload.reportId));
    const slot = row?.resolved_at === null ? await slots.find(tx, row.slot_id) : undefined;
    if (!row || !slot || !slots.isIn(slot, "blocked")) return;
    if (row.answer_by === null) return start(tx, slot, row);
    if (row.answer_by > tx.now) return;
    playtests.lock(tx, slot.playtest_id);
    await cancelBlocked(tx, (await playtests.find(tx, slot.playtest_id))!, slot, "expired");
  });

async function start(tx: Tx, slot: slots.SlotRow, row: reports.ReportRow): Promise<void> {
  const limited = { ...row, answer_by: tx.now + tx.config.orders.answerProblemWithinMs };
  await reports.update(tx, row.id, { answer_by: limited.answer_by });
  await watchLimit(tx, limited);
  await announce(tx, slot, limited);
}
