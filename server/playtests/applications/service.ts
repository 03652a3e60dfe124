import type { EventKind } from "../../../src/contract/events/kinds.ts";
import type { applicationMoves } from "../../../src/contract/states/index.ts";
import type { MoveFrom } from "../../../src/contract/states/moves.ts";
import { zonedText } from "../../../src/contract/time/zones.ts";
import * as users from "../../accounts/users-store.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { fullRow } from "../../database/rows.ts";
import { emit } from "../../events/emit.ts";
import { mailAbout, mailUserAbout } from "../../events/event-mails.ts";
import type { NoticeContext } from "../../events/notice-context.ts";
import * as games from "../../games/store.ts";
import { badRequest, conflict } from "../../lib/api-error.ts";
import { agreementToAccept, type GivenAcceptance, requireAcceptance } from "../agreements/service.ts";
import { inForce } from "../agreements/store.ts";
import * as groups from "../groups/store.ts";
import { record as recordConsent } from "../publications/consents.ts";
import { calendarOf, requireConfirmed } from "../schedule/sessions.ts";
import { eligibilityFacts, findOffered, targetingOf } from "../slots/claims.ts";
import { holdsTooMany, slotsText, whyNotApply, whyNotByHistory } from "../slots/eligibility.ts";
import { appliedLetter, approvedLetter, closedLetter, declinedLetter } from "../slots/mails.ts";
import { windowOver } from "../slots/rules.ts";
import * as slots from "../slots/store.ts";
import { reserve } from "../slots/transitions.ts";
import * as playtests from "../store.ts";
import { applicationAt } from "./rules.ts";
import * as applications from "./store.ts";

/** Manual selection: playtesters apply, the owner chooses. Each move runs inside the caller's transaction. */
type Playtest = playtests.PlaytestRow;
type Application = applications.ApplicationRow;
type Applicant = Pick<users.UserRow, "id" | "display_name">;
type ApplicationKind = Extract<EventKind, `application.${string}`>;

/** What an applicant agrees to. Simulated playtesters accept no agreement, and have time. */
interface Agreed {
  consent?: GivenAcceptance;
  /** The fixed time of the playtest (ISO 8601). */
  confirmed?: { scheduledAt: string | undefined };
}

/** Applies to a playtest with manual selection. 400 in automatic mode; 409 when it is closed, full or for others, or after an earlier application. */
export async function apply(
  tx: Tx,
  playtestId: string,
  playtesterId: string,
  response: string | null,
  { consent, confirmed }: Agreed = {},
): Promise<Application> {
  playtests.lock(tx, playtestId);
  const { playtest } = await findOffered(tx, playtestId, playtesterId);
  if (playtest.selection_mode !== "manual")
    throw badRequest("This playtest is first come, first served. Nothing was sent. Claim a slot instead.");
  const why = whyNotApply(targetingOf(playtest), playtesterId, await eligibilityFacts(tx, playtest, playtesterId));
  if (why) throw conflict(`${why} Nothing was sent.`);
  const now = tx.now;
  if (playtest.status !== "active" || windowOver(playtest, now))
    throw conflict("This playtest no longer accepts applications. Nothing was sent.");
  if (!(await slots.firstOpen(tx, playtest.id, tx.now)))
    throw conflict("Every slot of this playtest is taken. Nothing was sent.");
  if (confirmed) requireConfirmed(tx, playtest, confirmed.scheduledAt, "Nothing was sent.");
  if (consent) await requireAcceptance(tx, await inForce(tx, playtest.game_id), playtesterId, consent);
  const application = fullRow("applications", {
    id: tx.newId(),
    playtest_id: playtest.id,
    playtester_id: playtesterId,
    status: "pending",
    qualifications_response: response,
    created_at: now,
  });
  if (!(await applications.insert(tx, application)))
    throw conflict("You have already applied to this playtest, and you can apply only once. Nothing was sent.");
  const applicant = (await users.find(tx, playtesterId))!;
  recordConsent(tx, playtest, applicant);
  const { gameName } = await emitApplicationEvent(tx, playtest, application.id, applicant, "application.created");
  const until = playtest.closes_at;
  const about = {
    config: tx.config,
    gameName,
    playtestId: playtest.id,
    playtesterName: applicant.display_name,
    response,
    until,
  };
  await mailUserAbout(tx, playtest.owner_id, "application.created", (zone) => appliedLetter({ ...about, zone }));
  return application;
}

interface Approval {
  /** Default: the oldest open slot. */
  wanted?: slots.SlotIn<"open">;
  /** Simulated playtesters accept no agreement. */
  isSimulated?: boolean;
}

/**
 * Reserves the oldest open slot, or the `wanted` one, for the applicant, who must have accepted the agreement that is in force now. When
 * it was the last one, the other pending applications are rejected automatically. Returns how many slots are still open. The caller has
 * locked the playtest.
 */
export async function approve(
  tx: Tx,
  playtest: Playtest,
  application: Application,
  { wanted, isSimulated = false }: Approval = {},
): Promise<{ slotId: string; slotsRemaining: number }> {
  const pending = requirePending(tx, playtest, application, "approve");
  if (!(await games.findOffered(tx, playtest.game_id)))
    throw conflict("The game is suspended, so nobody gets a slot of it. Nothing was changed. Ask the operator of this server.");
  const playtester = (await users.locked(tx, application.playtester_id))!;
  if (playtester.suspended_at !== null)
    throw conflict("This playtester's account is suspended. Nothing was changed. Reject the application instead.");
  if (playtest.panel !== null && !(await groups.isMember(tx, playtest.panel, playtester.id)))
    throw conflict(
      `This playtester is no longer in the group ${playtest.panel}. Nothing was changed. Reject the application instead.`,
    );
  const facts = await eligibilityFacts(tx, playtest, application.playtester_id);
  const why = whyNotByHistory(targetingOf(playtest), application.playtester_id, facts);
  if (why)
    throw conflict(`${why} This playtester is no longer one of them. Nothing was changed. Reject the application instead.`);
  if (holdsTooMany(facts))
    throw conflict(`This playtester already holds ${slotsText(facts.held)}, the maximum. Nothing was changed. Try again later.`);
  if (facts.overlap !== undefined)
    throw conflict(
      "This playtester has another playtest at that time by now. Nothing was changed. Reject the application, or try again later.",
    );
  if (!isSimulated) await requireCurrentAcceptance(tx, playtest, playtester);
  const open = wanted ?? (await slots.firstOpen(tx, playtest.id, tx.now));
  const slot = open && (await reserve(tx, playtest, open, application.playtester_id));
  if (!slot) throw conflict("Every slot of this playtest is taken. Nothing was changed.");
  const decision = { reviewed_at: tx.now, assigned_slot_id: slot.id };
  await applications.transition(tx, pending, "approve", decision);
  const { deadline_at: deadlineAt, scheduled_at: scheduledAt } = slot;
  const at = scheduledAt === null ? {} : { at: zonedText(scheduledAt, playtester.time_zone) };
  const { gameName } = await emitApplicationEvent(tx, playtest, application.id, playtester, "application.approved", at);
  const calendar = calendarOf(tx, slot, playtest, gameName);
  const about = { config: tx.config, gameName, slotId: slot.id, deadlineAt: deadlineAt!, scheduledAt, calendar };
  await mailAbout(tx, playtester, "application.approved", (zone) => approvedLetter({ ...about, zone }));
  return { slotId: slot.id, slotsRemaining: await closeWhenFull(tx, playtest) };
}

/** 409 when the agreement was changed after the application was made, and the applicant has not accepted it again. */
async function requireCurrentAcceptance(tx: Query, playtest: Playtest, { id, display_name: name }: Applicant): Promise<void> {
  const version = await agreementToAccept(tx, playtest.game_id, id);
  if (version === undefined) return;
  throw conflict(
    `${name} has not accepted version ${version} of the agreement, which was published after the application. Nothing was changed. They were asked to accept it by email: approve the application then, or choose somebody else.`,
  );
}

export async function reject(
  tx: Tx,
  playtest: Playtest,
  application: Application,
  customMessage: string | undefined,
): Promise<void> {
  const pending = requirePending(tx, playtest, application, "reject");
  await applications.transition(tx, pending, "reject", { reviewed_at: tx.now });
  const playtester = (await users.find(tx, application.playtester_id))!;
  const { gameName } = await emitApplicationEvent(tx, playtest, application.id, playtester, "application.rejected");
  const letter = declinedLetter({ config: tx.config, gameName, customMessage });
  await mailAbout(tx, playtester, "application.rejected", letter);
}

export async function withdraw(tx: Tx, playtest: Playtest, application: Application): Promise<void> {
  const pending = requirePending(tx, playtest, application, "withdraw");
  await applications.transition(tx, pending, "withdraw");
}

/** Rejects the pending applications automatically once no slot is open. Returns how many slots are open. */
export async function closeWhenFull(tx: Tx, playtest: Playtest): Promise<number> {
  const open = (await slots.openOf(tx, playtest.id)).length;
  if (open === 0) await closePending(tx, playtest, tx.now);
  return open;
}

/** Rejects the pending applications automatically and notifies their playtesters. `at` (ms) is stored as the time of the review. */
export async function closePending(tx: Tx, playtest: Playtest, at: number): Promise<void> {
  for (const pending of await applications.pendingOf(tx, playtest.id)) {
    if (!(await applications.tryTransition(tx, pending, "close", { reviewed_at: at }))) continue;
    const playtester = (await users.find(tx, pending.playtester_id))!;
    const { gameName } = await emitApplicationEvent(tx, playtest, pending.id, playtester, "application.auto_rejected");
    await mailAbout(tx, playtester, "application.auto_rejected", closedLetter({ config: tx.config, gameName }));
  }
}

async function emitApplicationEvent(
  tx: Tx,
  playtest: Playtest,
  applicationId: string,
  playtester: Applicant,
  kind: ApplicationKind,
  more: NoticeContext = {},
): Promise<{ gameName: string }> {
  const gameName = (await games.find(tx, playtest.game_id))?.name ?? "";
  const recipients = [
    { id: playtest.owner_id, role: "game_owner" as const },
    { id: playtester.id, role: "playtester" as const },
  ];
  await emit(tx, recipients, {
    kind,
    data: { applicationId, playtestId: playtest.id, gameId: playtest.game_id, playerId: playtester.id },
    notice: { ...more, gameName, playtesterName: playtester.display_name },
  });
  return { gameName };
}

function requirePending(
  tx: ReadTx,
  playtest: Playtest,
  application: Application,
  move: MoveFrom<typeof applicationMoves, "pending">,
): Application & { status: "pending" } {
  if (playtest.selection_mode !== "manual")
    throw badRequest("This playtest is first come, first served, so it has no applications to decide. Nothing was changed.");
  const { status } = applicationAt({ ...application, window_at: playtest.closes_at }, tx.now);
  if (status === "pending" && applications.isIn(application, "pending")) return application;
  throw applications.wrongState(status, move);
}
