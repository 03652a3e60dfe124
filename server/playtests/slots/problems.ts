import type { BlockReason } from "../../../src/contract/slots.ts";
import type { Deps } from "../../app/deps.ts";
import type { Query } from "../../database/port.ts";
import type { Job } from "../../jobs/job.ts";
import { usd } from "../../lib/money.ts";
import { replaceKeys } from "../keys/service.ts";
import * as keyStore from "../keys/store.ts";
import * as playtests from "../store.ts";
import { announce, resolve } from "./reports.ts";
import * as reports from "./reports-store.ts";
import { claimDeadline } from "./rules.ts";
import * as slots from "./store.ts";
import { finishPlaytest, type Refund, refund, watchDeadline } from "./transitions.ts";

/** What becomes of a slot whose build cannot be played. Each function but the job runs inside the caller's transaction. */
type Playtest = playtests.PlaytestRow;

/** The playtester reports that the build cannot be played. The deadline is paused until the report is answered or its limit passes. */
export async function report(
  deps: Deps,
  tx: Query,
  slot: slots.SlotIn<"reserved">,
  why: { reasonCode: BlockReason; notes: string | null },
): Promise<void> {
  const now = deps.clock.now();
  const blocked = await slots.transition(tx, slot, "report", { deadline_at: null });
  const row: reports.ReportRow = {
    id: deps.newId(),
    slot_id: slot.id,
    reason_code: why.reasonCode,
    notes: why.notes,
    reported_at: now,
    answer_by: now + deps.config.orders.answerProblemWithinMs,
    resolved_at: null,
    outcome: null,
    message: null,
  };
  await reports.insert(tx, row);
  await watchLimit(deps, tx, row);
  await announce(deps, tx, blocked, row);
}

const watchLimit = (deps: Deps, tx: Query, { id, answer_by }: reports.ReportRow) =>
  deps.jobs.schedule(tx, { kind: "resolve-problem", key: id, payload: { reportId: id }, runAt: answer_by! });

/** Unblocks a slot: it is reserved for its playtester again, with a new deadline as after a claim and, if given, with new game keys. */
export async function unblock(
  deps: Deps,
  tx: Query,
  playtest: Playtest,
  slot: slots.SlotRow,
  answer: { message: string | null; keys: readonly string[] | undefined },
): Promise<void> {
  const deadline = claimDeadline(playtest.selection_mode, playtest.player_count, deps.clock.now());
  const reserved = await slots.transition(tx, slots.requireMove(slot, "unblock"), "unblock", { deadline_at: deadline });
  const { message, keys } = answer;
  if (keys) await replaceKeys(deps, tx, playtest, slot.id, keys);
  await watchDeadline(deps, tx, reserved);
  await resolve(deps, tx, reserved, { outcome: "unblocked", message, deadlineAt: deadline, newKeys: keys?.length ?? 0 });
}

/** Cancels a blocked slot. Its price or minutes are refunded and its playtester is not paid. */
export async function cancelBlocked(
  deps: Deps,
  tx: Query,
  playtest: Playtest,
  slot: slots.SlotIn<"blocked">,
  outcome: "cancelled" | "expired",
): Promise<Refund> {
  const cancelled = await slots.transition(tx, slot, "cancel", { ended_at: deps.clock.now() });
  await keyStore.retire(tx, slot.id, deps.clock.now());
  const refunded = await refund(deps, tx, playtest, cancelled, "slot_refund");
  await resolve(deps, tx, cancelled, { outcome, refunded: inWords(refunded) });
  await finishPlaytest(deps, tx, playtest);
  return refunded;
}

const inWords = ({ cents, minutes }: Refund) =>
  cents > 0 ? usd(cents) : minutes > 0 ? `${minutes} playtest minutes` : undefined;

/** Cancels the slot of a report that nobody answered in time. A report from before there was a limit is announced, and gets one. */
export const resolveProblem = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    await job.done(tx);
    const row = await reports.find(tx, String(job.payload.reportId));
    const slot = row?.resolved_at === null ? await slots.find(tx, row.slot_id) : undefined;
    if (!row || !slot || !slots.isIn(slot, "blocked")) return;
    if (row.answer_by === null) return start(deps, tx, slot, row);
    if (row.answer_by > deps.clock.now()) return;
    playtests.lock(tx, slot.playtest_id);
    await cancelBlocked(deps, tx, (await playtests.find(tx, slot.playtest_id))!, slot, "expired");
  });

async function start(deps: Deps, tx: Query, slot: slots.SlotRow, row: reports.ReportRow): Promise<void> {
  const limited = { ...row, answer_by: deps.clock.now() + deps.config.orders.answerProblemWithinMs };
  await reports.update(tx, row.id, { answer_by: limited.answer_by });
  await watchLimit(deps, tx, limited);
  await announce(deps, tx, slot, limited);
}
