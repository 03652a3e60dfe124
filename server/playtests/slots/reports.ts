import type { EventData } from "../../../src/contract/events/payloads.ts";
import type { BlockReason, ReportOutcome } from "../../../src/contract/slots.ts";
import { listApprovers } from "../../accounts/service.ts";
import * as users from "../../accounts/users-store.ts";
import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { emit, type Recipient } from "../../events/emit.ts";
import { mailAbout, mailUserAbout } from "../../events/event-mails.ts";
import * as games from "../../games/store.ts";
import { iso, utc } from "../../lib/time.ts";
import * as playtests from "../store.ts";
import { teamResolvedLetter } from "../teams/letters.ts";
import { companions } from "../teams/store.ts";
import { problemLetter, resolvedLetter, unansweredLetter } from "./mails.ts";
import * as reports from "./reports-store.ts";
import type { SlotRow } from "./store.ts";

/** What people are told about a reported problem and its end. Each function runs inside the caller's transaction. */
const reasons: Record<BlockReason, string> = {
  build_unavailable: "The build cannot be downloaded or started.",
  crash: "The game crashes.",
  key_invalid: "The game key does not work.",
  not_as_described: "The game does not match its description.",
  unsafe: "The game seems unsafe.",
  other: "Another reason.",
};

/** The owner of a slot's game, and its playtester. */
async function partiesOf(tx: Query, slot: SlotRow) {
  const [owner, playtester] = [await users.find(tx, slot.owner_id), await users.find(tx, slot.playtester_id!)];
  const gameName = (await games.find(tx, slot.game_id))?.name ?? "";
  return { owner: owner!, playtester: playtester!, gameName };
}

const subjectOf = (slot: SlotRow) => ({
  slotId: slot.id,
  playtestId: slot.playtest_id,
  gameId: slot.game_id,
  playerId: slot.playtester_id,
});

/** Tells the owner, and the admins who may answer, about a report. */
export async function announce(tx: Tx, slot: SlotRow, report: reports.ReportRow): Promise<void> {
  const { owner, playtester, gameName } = await partiesOf(tx, slot);
  const admins = await listApprovers(tx);
  const { cost_per_slot_cents: cents } = (await playtests.find(tx, slot.playtest_id))!;
  const recipients: Recipient[] = [
    { id: owner.id, role: "game_owner" },
    ...admins.map(({ id }): Recipient => ({ id, role: "admin" })),
  ];
  const problem = [reasons[report.reason_code], ...(report.notes ? [`“${report.notes}”`] : [])].join(" ");
  const until = report.answer_by!;
  const { reason_code: reasonCode, notes, reported_at } = report;
  await emit(tx, recipients, {
    kind: "slot.blocked",
    data: { ...subjectOf(slot), reasonCode, notes, reportedAt: iso(reported_at) },
    notice: { gameName, playtesterName: playtester.display_name, problem, until: utc(until) },
  });
  const about = {
    config: tx.config,
    gameName,
    playtesterName: playtester.display_name,
    notes,
    until,
    slotId: slot.id,
    asksForKey: reasonCode === "key_invalid",
    isPaid: cents > 0,
  };
  for (const reader of [owner, ...admins]) {
    const said = { ...about, reason: reasons[reasonCode], isOwner: reader === owner };
    await mailAbout(tx, reader, "slot.blocked", (zone) => problemLetter({ ...said, zone }));
  }
}

export interface Resolution {
  outcome: ReportOutcome;
  message?: string | null;
  /** The new deadline of an unblocked slot (ms). */
  deadlineAt?: number;
  /** How many new game keys an unblocked slot has. */
  newKeys?: number;
  /** What the owner got back for a cancelled slot, in words. */
  refunded?: string;
}

/** Closes the report that blocks this slot and tells both sides. */
export async function resolve(tx: Tx, slot: SlotRow, resolution: Resolution): Promise<void> {
  const report = await reports.openOf(tx, slot.id);
  if (!report) return;
  const now = tx.now;
  const { outcome, message = null } = resolution;
  await reports.update(tx, report.id, { resolved_at: now, outcome, message });
  const { owner, playtester, gameName } = await partiesOf(tx, slot);
  const data: EventData<"slot.resolved"> = { ...subjectOf(slot), outcome, message, resolvedAt: iso(now) };
  const recipients: Recipient[] = [
    { id: owner.id, role: "game_owner" },
    { id: playtester.id, role: "playtester" },
  ];
  const others = outcome === "released" ? [] : (await companions(tx, slot.id)).map(({ user_id }) => user_id);
  const claimantName = playtester.display_name;
  const { refunded, newKeys = 0 } = resolution;
  const notice = { gameName, playtesterName: playtester.display_name, outcome, answer: message, refunded, newKeys };
  await emit(tx, recipients, { kind: "slot.resolved", data, notice });
  for (const id of others)
    await emit(tx, [{ id, role: "playtester" }], { kind: "slot.resolved", data, notice: { ...notice, claimantName } });
  if (outcome === "released") return;
  const about = { ...resolution, config: tx.config, gameName, slotId: slot.id };
  await mailAbout(tx, playtester, "slot.resolved", (zone) => resolvedLetter({ ...about, zone }));
  for (const id of others)
    await mailUserAbout(tx, id, "slot.resolved", (zone) => teamResolvedLetter({ ...about, claimantName, zone }));
  if (outcome !== "expired") return;
  const unanswered = unansweredLetter({ ...about, playtestId: slot.playtest_id, playtesterName: playtester.display_name });
  await mailAbout(tx, owner, "slot.resolved", unanswered);
}
