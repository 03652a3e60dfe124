import type { EventData } from "../../../src/contract/events/payloads.ts";
import type { Device } from "../../../src/contract/games.ts";
import type { SlotStatus } from "../../../src/contract/states/index.ts";
import type { TeamEnding } from "../../../src/contract/teams/statuses.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { Tx } from "../../app/tx.ts";
import { refund as returnToBudgets } from "../../billing/budgets/service.ts";
import { settleOwedCredit, settleOwedMinutes } from "../../billing/debts.ts";
import type { Query } from "../../database/port.ts";
import { emit, type Recipient } from "../../events/emit.ts";
import { mailAbout, mailUserAbout } from "../../events/event-mails.ts";
import type { NoticeContext } from "../../events/notice-context.ts";
import * as games from "../../games/store.ts";
import { refundTransfers, type SlotTerms } from "../../ledger/rules.ts";
import * as ledger from "../../ledger/store.ts";
import { conflict } from "../../lib/api-error.ts";
import { usd } from "../../lib/money.ts";
import { utc } from "../../lib/time.ts";
import { announceApproval } from "../approvals.ts";
import { handOut, warnWhenLow } from "../keys/service.ts";
import * as keys from "../keys/store.ts";
import { openSlot } from "../orders.ts";
import { slotDeadline } from "../schedule/rules.ts";
import { requireBegun, watchSession } from "../schedule/sessions.ts";
import * as playtests from "../store.ts";
import { endRequests, endTeam } from "../teams/asking.ts";
import * as teams from "../teams/store.ts";
import { allInLetter, expiredLetter, submittedLetter } from "./mails.ts";
import { resolve } from "./reports.ts";
import { playtestStatusOf, windowOver } from "./rules.ts";
import * as slots from "./store.ts";

/** The state transitions of a slot. Each function runs inside the caller's transaction. */
type Playtest = playtests.PlaytestRow;
type Slot = slots.SlotRow;
type SlotIn<Status extends SlotStatus> = slots.SlotIn<Status>;
type SlotKind = "slot.reserved" | "slot.submitted" | "slot.accepted" | "slot.rejected" | "slot.expired";

const timeField: { [Kind in SlotKind]: Exclude<keyof EventData<Kind>, keyof EventData<SlotKind>> } = {
  "slot.reserved": "reservedAt",
  "slot.submitted": "submittedAt",
  "slot.accepted": "acceptedAt",
  "slot.rejected": "rejectedAt",
  "slot.expired": "expiredAt",
};

/** The people an event is about, for the emails that go with it. */
export interface Told {
  gameName: string;
  playtester: users.UserRow | undefined;
}

/** The game and the playtester of a slot. */
export interface Parties {
  game: games.GameRow | undefined;
  playtester: users.UserRow | undefined;
}

async function partiesOf(tx: Query, slot: Slot): Promise<Parties> {
  const [game, playtester] = await Promise.all([
    games.find(tx, slot.game_id),
    slot.playtester_id === null ? undefined : users.find(tx, slot.playtester_id),
  ]);
  return { game, playtester };
}

/** The other members of a slot's team, who are told what its playtester is told. */
export const companionsToTell = async (tx: Query, { id, playtester_id }: Slot): Promise<Recipient[]> =>
  playtester_id === null ? [] : (await teams.companions(tx, id)).map(({ user_id }) => ({ id: user_id, role: "playtester" }));

/**
 * Records an event about a slot for its owner and, if there is one, its playtester and their team, who are told who submits for them. `known`
 * saves reading the rows again; `moreFor` says what differs for a member of the team.
 */
export async function emitSlotEvent(
  tx: Tx,
  slot: Slot,
  kind: SlotKind,
  more: NoticeContext = {},
  known?: Parties,
  moreFor: (userId: string) => NoticeContext = () => more,
): Promise<Told> {
  const { game, playtester } = known ?? (await partiesOf(tx, slot));
  const recipients: Recipient[] = [{ id: slot.owner_id, role: "game_owner" }];
  if (playtester) recipients.push({ id: playtester.id, role: "playtester" });
  // Read together with what the event reads first.
  const companions = playtester ? companionsToTell(tx, slot) : Promise.resolve([]);
  companions.catch(() => {});
  const names = { gameName: game?.name, playtesterName: playtester?.display_name };
  const occurrence = {
    kind,
    data: {
      slotId: slot.id,
      playtestId: slot.playtest_id,
      gameId: slot.game_id,
      playerId: slot.playtester_id,
      [timeField[kind]]: new Date(tx.now).toISOString(),
      // TypeScript does not track which field a computed name adds.
    } as EventData<SlotKind>,
  };
  await emit(tx, recipients, { ...occurrence, notice: { ...more, ...names } });
  for (const one of await companions) {
    const notice = { ...moreFor(one.id), ...names, claimantName: names.playtesterName };
    await emit(tx, [one], { ...occurrence, notice });
  }
  return { gameName: game?.name ?? "", playtester };
}

const playedAt = ({ scheduled_at: at }: Pick<Slot, "scheduled_at">) => (at === null ? {} : { at: utc(at) });

/**
 * Reserves an open slot for a playtester, with its keys and deadline. Undefined when the slot was taken at the same time. 409 when the
 * playtest hands out keys and has none left.
 */
export async function reserve(
  tx: Tx,
  playtest: Playtest,
  slot: SlotIn<"open">,
  playtesterId: string,
  known?: Parties,
): Promise<SlotIn<"reserved"> | undefined> {
  const now = tx.now;
  const deadline = slotDeadline(playtest, slot.scheduled_at, now);
  const changes = { playtester_id: playtesterId, reserved_at: now, deadline_at: deadline };
  const reserved = await slots.tryTransition(tx, slot, "reserve", changes);
  if (!reserved) return undefined;
  if (!(await handOut(tx, playtest, slot.id)))
    throw conflict(
      "No game keys are left for this playtest. Nothing was changed. Its slots open again when the owner adds keys.",
    );
  await watchDeadline(tx, reserved);
  await watchSession(tx, reserved);
  await emitSlotEvent(tx, reserved, "slot.reserved", { until: utc(deadline), ...playedAt(slot) }, known);
  return reserved;
}

/** Schedules the job that reminds the playtester of a reserved slot's deadline, if there is time for it, and then expires the slot. */
export async function watchDeadline(tx: Tx, slot: Slot): Promise<void> {
  const deadlineAt = slot.deadline_at!;
  const remindAt = deadlineAt - tx.config.playtesters.remindBeforeMs;
  const runAt = remindAt > tx.now ? remindAt : deadlineAt;
  const payload = { slotId: slot.id, deadlineAt };
  await tx.scheduleNew([{ kind: "watch-slot", key: `${slot.id}:${deadlineAt}`, payload, runAt }]);
}

/** What a playtester says about a submission. */
export interface Said {
  notes: string;
  device: Device | null;
}

export async function submit(
  deps: Deps,
  tx: Tx,
  slot: SlotIn<"reserved">,
  video: slots.UploadedVideo,
  { notes, device }: Said,
): Promise<void> {
  const now = tx.now;
  requireBegun(tx, slot);
  await slots.transition(tx, slot, "submit", { submitted_at: now });
  slots.insertSubmission(tx, {
    id: tx.newId(),
    slot_id: slot.id,
    blob_key: video.blobKey,
    filename: video.filename,
    content_type: video.contentType,
    video_file_size: video.size,
    video_duration_ms: video.durationMs,
    video_facts: video.facts,
    notes,
    device,
    created_at: now,
  });
  for (const onSubmitted of deps.onSubmitted) await onSubmitted(deps, tx, slot.id);
  const [{ gameName, playtester }, playtest] = await Promise.all([
    emitSlotEvent(tx, slot, "slot.submitted"),
    playtests.find(tx, slot.playtest_id),
  ]);
  const about = {
    config: deps.config,
    gameName,
    slotId: slot.id,
    playtesterName: playtester?.display_name ?? "A playtester",
    notes,
    isPaid: playtest!.payout_cents > 0,
  };
  await mailUserAbout(tx, slot.owner_id, "slot.submitted", submittedLetter(about));
  if (playtest!.is_free_public_trial === 1) await announceApproval(tx, playtest!, slot.id);
  await tellWhenAllIn(tx, playtest!, gameName);
}

const unplayed: readonly SlotStatus[] = ["open", "reserved", "blocked"];
const withVideo: readonly SlotStatus[] = ["submitted", "publishing", "accepted", "rejected"];

/** Tells the owner, once, that no video of the playtest is awaited any more. Of a single video the email about it says so. */
async function tellWhenAllIn(tx: Tx, playtest: Playtest, gameName: string): Promise<void> {
  if (playtest.quantity === 1 || playtest.all_in_at !== null) return;
  const statuses = await slots.statusesOf(tx, playtest.id);
  if (statuses.some((status) => unplayed.includes(status))) return;
  await playtests.update(tx, playtest.id, { all_in_at: tx.now });
  const videos = statuses.filter((status) => withVideo.includes(status)).length;
  const toReview = statuses.filter((status) => status === "submitted").length;
  const letter = allInLetter({ config: tx.config, gameName, playtestId: playtest.id, videos, toReview });
  await mailUserAbout(tx, playtest.owner_id, "slot.submitted", letter);
}

/** Expires a slot whose deadline passed. A replacement opens; after the end of the manual window the slot is refunded instead. */
export async function expire(tx: Tx, playtest: Playtest, slot: SlotIn<"reserved">): Promise<void> {
  if (!(await slots.tryTransition(tx, slot, "expire", { ended_at: slot.deadline_at }))) return;
  const { gameName, playtester } = await emitSlotEvent(tx, slot, "slot.expired");
  const letter = (zone: string | null) => expiredLetter({ config: tx.config, gameName, zone, deadlineAt: slot.deadline_at! });
  await mailAbout(tx, playtester, "slot.expired", letter);
  for (const { id } of await companionsToTell(tx, slot)) await mailUserAbout(tx, id, "slot.expired", letter);
  await keys.retire(tx, slot.id, tx.now);
  const isClosed = windowOver(playtest, tx.now);
  await endRequests(tx, slot, isClosed ? "closed" : "expired");
  if (!isClosed) return void (await replace(tx, playtest, slot));
  await refund(tx, playtest, slot, "manual_slot_expired");
  await finishPlaytest(tx, playtest);
}

/**
 * The playtester releases the slot. A replacement opens; after the end of the manual window that one expires at once, and what the owner got
 * back is returned.
 */
export async function release(
  tx: Tx,
  playtest: Playtest,
  slot: SlotIn<"reserved" | "blocked">,
  ending: TeamEnding = "released",
): Promise<Refund | undefined> {
  await slots.transition(tx, slot, "release", { ended_at: tx.now });
  await keys.retire(tx, slot.id, tx.now);
  if (slot.status === "blocked") await resolve(tx, slot, { outcome: "released" });
  await endTeam(tx, slot, ending, [slot.playtester_id]);
  const replacement = await replace(tx, playtest, slot);
  if (!windowOver(playtest, tx.now)) return undefined;
  const refunded = await endUnfilled(tx, playtest, replacement);
  await finishPlaytest(tx, playtest);
  return refunded;
}

/** Opens a replacement for an expired or released slot. Whoever claims it gets other keys: the playtester has seen those of the slot. */
async function replace(tx: Tx, playtest: Playtest, slot: Slot): Promise<SlotIn<"open">> {
  const replacement = openSlot(tx, playtest, slot.id);
  if (!windowOver(playtest, tx.now)) await warnWhenLow(tx, playtest);
  return replacement;
}

/** Expires and refunds a slot that is still open when the manual window or the fixed time is over. */
async function endUnfilled(tx: Tx, playtest: Playtest, slot: SlotIn<"open">): Promise<Refund | undefined> {
  const endedAt = Math.max(playtest.closes_at!, slot.created_at);
  if (!(await slots.tryTransition(tx, slot, "expire", { ended_at: endedAt }))) return undefined;
  await endTeam(tx, slot, "closed");
  await emitSlotEvent(tx, slot, "slot.expired");
  return refund(tx, playtest, slot, "manual_slot_expired");
}

/** Expires and refunds every slot that is still open when the manual window or the fixed time is over. */
export async function expireUnfilled(tx: Tx, playtest: Playtest): Promise<void> {
  for (const slot of await slots.openOf(tx, playtest.id)) await endUnfilled(tx, playtest, slot);
  await finishPlaytest(tx, playtest);
}

/** The owner cancels an open slot and gets its price or minutes refunded. */
export async function cancelOpen(tx: Tx, playtest: Playtest, slot: Slot): Promise<Refund> {
  const now = tx.now;
  const isOpen = slots.isIn(slot, "open") && !windowOver(playtest, now);
  if (!isOpen || !(await slots.tryTransition(tx, slot, "cancel", { ended_at: now })))
    throw conflict(
      "Only an open or blocked slot can be cancelled, and a claimed one before its fixed time. Nothing was changed.",
    );
  await endTeam(tx, slot, "cancelled");
  return refund(tx, playtest, slot, "slot_refund");
}

export interface Refund {
  cents: number;
  minutes: number;
}

/** What came back, such as `$10.00`; undefined for nothing. */
export const refundText = ({ cents, minutes }: Refund) =>
  cents > 0 ? usd(cents) : minutes > 0 ? `${minutes} playtest minutes` : undefined;

/** Refunds what was held for a slot. It first pays what the owner owes after a dispute or refund. */
export async function refund(
  tx: Tx,
  playtest: Playtest,
  slot: Slot,
  why: "slot_refund" | "manual_slot_expired",
): Promise<Refund> {
  const terms = termsOf(playtest, slot);
  // As a dispute does: otherwise neither would see what the other adds to the credit or to the debt.
  users.lock(tx, terms.ownerId);
  await ledger.postAll(tx, refundTransfers(terms, why));
  const cause = { id: slot.id, playtestId: playtest.id };
  if (terms.costCents > 0) await settleOwedCredit(tx, terms.ownerId, terms.costCents, cause);
  if (terms.minutes > 0) await settleOwedMinutes(tx, terms.ownerId, cause);
  await returnToBudgets(tx, playtest.id, {
    cents: terms.costCents,
    minutes: terms.minutes,
    slots: 1,
    worthCents: playtest.cost_per_slot_cents,
  });
  return { cents: terms.costCents, minutes: terms.minutes };
}

const endings = { completed: "complete", cancelled: "cancel", expired: "expire" } as const;

/** Ends the playtest when all its slots have a final status. */
export async function finishPlaytest(tx: Tx, playtest: Playtest): Promise<void> {
  const now = tx.now;
  const status = playtestStatusOf(await slots.statusesOf(tx, playtest.id));
  if (status === "active" || !playtests.isIn(playtest, "active")) return;
  if (!(await playtests.tryTransition(tx, playtest, endings[status], { updated_at: now }))) return;
  if (status !== "completed") return;
  const [all, game] = await Promise.all([playtests.slotCounts(tx, [playtest.id], now), games.find(tx, playtest.game_id)]);
  const counts = all.get(playtest.id)!;
  await emit(tx, [{ id: playtest.owner_id, role: "game_owner" }], {
    kind: "playtest.completed",
    data: { playtestId: playtest.id, gameId: playtest.game_id, slots: counts, completedAt: new Date(now).toISOString() },
    notice: { gameName: game?.name },
  });
}

export function termsOf(playtest: Playtest, slot: Pick<Slot, "id">): SlotTerms {
  const paidWith = playtest.paid_with ?? "free";
  return {
    slotId: slot.id,
    playtestId: playtest.id,
    ownerId: playtest.owner_id,
    paidWith,
    costCents: paidWith === "credit" ? playtest.cost_per_slot_cents : 0,
    payoutCents: playtest.payout_cents,
    minutes: paidWith === "hours" ? playtest.duration_minutes * playtest.player_count : 0,
  };
}
