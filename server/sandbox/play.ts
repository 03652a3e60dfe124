import type { Audience } from "../../src/contract/accounts/audience-text.ts";
import { change as changeTraits } from "../accounts/traits-store.ts";
import * as users from "../accounts/users-store.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type { Query } from "../database/port.ts";
import * as games from "../games/store.ts";
import { conflict, invalid, notFound } from "../lib/api-error.ts";
import { apply, approve } from "../playtests/applications/service.ts";
import * as applications from "../playtests/applications/store.ts";
import { claim, targetingOf } from "../playtests/slots/claims.ts";
import { statusAt } from "../playtests/slots/rules.ts";
import * as slots from "../playtests/slots/store.ts";
import { submit } from "../playtests/slots/transitions.ts";
import * as playtests from "../playtests/store.ts";
import { requireFullTeam } from "../playtests/teams/requirements.ts";
import * as teams from "../playtests/teams/store.ts";
import { scheduleDiscard } from "../uploads/finish.ts";
import * as uploads from "../uploads/store.ts";
import type { Sample } from "./sample.ts";
import * as testers from "./store.ts";
import { createTester } from "./testers.ts";

/**
 * Simulates a playtester in one step: claims an open slot (in manual mode applies and is approved), uploads a video and submits it. A slot at
 * a fixed time is only claimed, and submitted by another call after that time.
 * 409 when a real playtester could not do so.
 */
export async function play(
  deps: Deps,
  tx: Tx,
  { slotId, testerId, video }: { slotId: string; testerId: string | undefined; video: Sample },
): Promise<void> {
  playtests.lockOfSlot(tx, slotId);
  const detail = await slots.findDetail(tx, slotId);
  if (!detail) throw notFound();
  const status = statusAt(detail, tx.now);
  if (status !== "open" && status !== "reserved")
    throw conflict(`Only an open or reserved slot can be played. This one is ${status}. Nothing was changed.`);
  const slot = (await slots.find(tx, slotId))!;
  if (slot.playtester_id !== null && testerId !== undefined && slot.playtester_id !== testerId)
    throw conflict("Another playtester holds this slot. Nothing was changed.");
  const held = slots.isIn(slot, "open") ? await claimOrApply(tx, slot, testerId) : slots.requireMove(slot, "submit");
  // Before its fixed time a slot can only be claimed: it is played when the clock of the sandbox was moved to that time.
  if (slot.status === "open" && held.scheduled_at !== null && held.scheduled_at > tx.now) return;
  await requireFullTeam(
    tx,
    (await playtests.find(tx, held.playtest_id))!,
    held.id,
    "As the playtester who claimed it, ask another friend, and confirm as that friend. Then play the slot again.",
  );
  await submit(deps, tx, held, await upload(tx, held, video), { notes: "A simulated playtest.", device: "PC" });
}

async function claimOrApply(tx: Tx, slot: slots.SlotIn<"open">, testerId: string | undefined) {
  const playtest = (await playtests.find(tx, slot.playtest_id))!;
  await requireOffered(tx, playtest);
  await requireNotHeld(tx, slot.id);
  const playtesterId = testerId === undefined ? await anyTester(tx, playtest) : await namedTester(tx, testerId);
  if (playtest.selection_mode === "automatic") return (await claim(tx, playtest.id, playtesterId, { wanted: slot })).slot;
  const earlier = await applications.ofPlaytester(tx, playtest.id, playtesterId);
  const application = earlier ?? (await apply(tx, playtest.id, playtesterId, "I would like to play this."));
  await approve(tx, playtest, application, { wanted: slot, isSimulated: true });
  return slots.requireMove((await slots.find(tx, slot.id))!, "submit");
}

/** 409 for a slot that is held for a team whose members have not all confirmed. */
async function requireNotHeld(tx: Tx, slotId: string): Promise<void> {
  const team = await teams.ofSlot(tx, slotId);
  if (team?.status !== "asking" || team.confirm_by <= tx.now) return;
  throw conflict(
    "This slot is held for a team of friends who have not all confirmed. Nothing was changed. Confirm as these playtesters, or advance the clock until the time to confirm is over.",
  );
}

async function requireOffered(q: Query, playtest: playtests.PlaytestRow): Promise<void> {
  if (playtest.is_free_public_trial === 1 && playtest.approved_at === null)
    throw conflict("This free trial is waiting for an admin's approval. Nothing was changed. Approve it first.");
  if ((await games.find(q, playtest.game_id))?.status !== "active")
    throw conflict("This game is suspended, so its open slots cannot be played. Nothing was changed.");
}

async function namedTester(q: Query, testerId: string): Promise<string> {
  const tester = await users.find(q, testerId);
  if (tester?.role !== "playtester") throw invalid("testerId", "is not the id of a playtester");
  if (tester.suspended_at !== null) throw conflict("This playtester is suspended. Nothing was changed.");
  return tester.id;
}

async function anyTester(tx: Tx, playtest: playtests.PlaytestRow): Promise<string> {
  if (playtest.panel !== null)
    throw conflict(
      `This playtest is for the members of the group ${playtest.panel}. Nothing was changed. Pass the id of a member as \`testerId\`.`,
    );
  const targeting = targetingOf(playtest);
  const limits = { now: tx.now, maxHeld: tx.config.playtesters.maxReserved };
  const free = await testers.findFree(tx, playtest, targeting, limits);
  if (free) return free.id;
  if (targeting.type === "past")
    throw conflict(
      "No simulated playtester is eligible for this playtest. Nothing was changed. Pass the id of an eligible one as `testerId`.",
    );
  const { id } = await createTester(tx);
  await changeTraits(tx, id, wanted(targeting.audience));
  return id;
}

/** The profile of a playtester whom a playtest is for. */
const wanted = ({ targetCountries = [], targetLanguages = [], targetDevices = [], targetAges = [] }: Audience) => ({
  country: targetCountries[0],
  languages: targetLanguages.slice(0, 1),
  devices: targetDevices.slice(0, 1),
  ageBand: targetAges[0],
});

async function upload(tx: Tx, slot: slots.SlotRow, { uploadId, blobKey, size, durationMs, facts }: Sample) {
  const now = tx.now;
  const [filename, contentType] = ["playtest.mp4", "video/mp4"];
  await uploads.insert(tx, {
    id: uploadId,
    kind: "video",
    user_id: slot.playtester_id!,
    slot_id: slot.id,
    size,
    filename,
    filetype: contentType,
    metadata: JSON.stringify({ filename, filetype: contentType }),
    status: "completed",
    created_at: now,
    completed_at: now,
    duration_ms: durationMs,
    facts,
    expires_at: now + tx.config.uploads.expireMs,
  });
  for (const id of await uploads.replace(tx, slot.id, "completed", uploadId)) await scheduleDiscard(tx, id, now);
  return { blobKey, size, filename, contentType, durationMs, facts };
}
