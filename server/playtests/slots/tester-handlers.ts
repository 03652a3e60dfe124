import { problemOf } from "../../../src/contract/files/inspect-video.ts";
import type { Contract } from "../../../src/contract/index.ts";
import type { SlotStatus } from "../../../src/contract/states/index.ts";
import { lengthText } from "../../../src/contract/text/length.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import type * as games from "../../games/store.ts";
import type { Call, Handlers } from "../../http/call.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { signedBuildUrl } from "../../lib/signed-links.ts";
import { iso, isoOrNull, secondsOf } from "../../lib/time.ts";
import { open } from "../keys/service.ts";
import * as keyStore from "../keys/store.ts";
import { withdrawConsent } from "../publications/service.ts";
import * as playtests from "../store.ts";
import { withdraw } from "../teams/changes.ts";
import { claimWith, type NamedFriend } from "../teams/claim.ts";
import { requireFullTeam } from "../teams/requirements.ts";
import * as teams from "../teams/store.ts";
import { isPlayer, teamOf, teamsOf } from "../teams/views.ts";
import {
  proposalView,
  ratingView,
  rejectionView,
  reportView,
  slotPlaytestView,
  submissionView,
  videoFormatView,
} from "../views.ts";
import { type Attempts, attemptOf, attemptsBeside } from "./attempts.ts";
import { buildOf } from "./builds-store.ts";
import { type Claimed, claim } from "./claims.ts";
import { earnedLate, lossOf } from "./losses.ts";
import { gameOf, gamesOf } from "./offered-games.ts";
import { report } from "./report-moves.ts";
import { minVideoSeconds, statusAt } from "./rules.ts";
import * as slots from "./store.ts";
import { uploadedVideo } from "./store.ts";
import { release, submit } from "./transitions.ts";

/** A playtester sees the instructions, keys and build of a slot only while it has one of these statuses. */
const statusesWithAccess: readonly SlotStatus[] = ["reserved", "blocked", "submitted"];

/** What helps to play a slot, for one of its players, who sees no keys of the others. */
const handedOut = async (q: Query, slot: slots.SlotDetailRow, playerId: string) => {
  const { id } = slot;
  const [keys, video, build] = await Promise.all([keyStore.ofSlot(q, id), slots.uploadedVideo(q, id), buildOf(q, slot)]);
  const own = keys.filter(({ user_id }) => user_id === playerId);
  // In a team, a key that was dealt to nobody is for who joins it.
  return { keys: own.length > 0 ? own : keys.filter(({ user_id }) => user_id === null), video, build };
};

type HandedOut = Awaited<ReturnType<typeof handedOut>>;

function secretsView(
  deps: Deps,
  slot: slots.SlotDetailRow,
  game: games.GameRow,
  { keys, video, build, playerId }: HandedOut & { playerId: string },
) {
  return {
    instructions: game.instructions,
    notesForTesters: slot.notes_for_testers,
    keys: keys.map((key) => open(deps, slot.playtest_id, key)),
    buildUrl: signedBuildUrl(deps, game, build, playerId),
    uploadedVideo: video
      ? {
          filename: video.filename,
          sizeBytes: video.size,
          durationSeconds: secondsOf(video.durationMs),
          format: videoFormatView(video.facts),
        }
      : null,
  };
}

/** Slots as one of their players sees them. */
async function heldViews(deps: Deps, q: ReadTx, rows: readonly slots.SlotDetailRow[], playerId: string) {
  const foundGames = gamesOf(
    q,
    rows.map((row) => row.game_id),
  );
  // What follows is asked for together with the games. A failure of theirs is thrown below.
  foundGames.catch(() => {});
  const multiplayer = rows.filter((row) => row.player_count > 1).map((row) => row.id);
  const [attempts, earned, inTeams] = await Promise.all([
    attemptsBeside(q, rows),
    earnedLate(q, rows, playerId),
    teamsOf(q, multiplayer),
  ]);
  const reader = inTeams.size === 0 ? undefined : await users.find(q, playerId);
  // All are asked for at once: a database on another machine answers them together.
  return Promise.all(
    rows.map(async (slot) => {
      const team = inTeams.get(slot.id);
      const mayPlay = slot.playtester_id === playerId || (team !== undefined && isPlayer(team, playerId));
      const hasAccess = mayPlay && statusesWithAccess.includes(statusAt(slot, q.now));
      const secrets = hasAccess ? await handedOut(q, slot, playerId) : undefined;
      const view = heldView(
        deps,
        slot,
        (await foundGames).get(slot.game_id)!,
        { attempts, earned },
        secrets && { ...secrets, playerId },
      );
      return team ? { ...view, team: await teamOf(q, slot, team, reader!) } : view;
    }),
  );
}

/** What the view of a slot shows that stands in other rows. */
interface Beside {
  attempts: Attempts;
  /** What slots that ended without a video earned the reader, in cents by slot. */
  earned: ReadonlyMap<string, number>;
}

function heldView(
  deps: Deps,
  slot: slots.SlotDetailRow,
  game: Awaited<ReturnType<typeof gameOf>>,
  { attempts, earned }: Beside,
  secrets: (HandedOut & { playerId: string }) | undefined,
) {
  return {
    id: slot.id,
    requestId: slot.playtest_id,
    status: statusAt(slot, deps.clock.now()),
    deadlineAt: isoOrNull(slot.deadline_at),
    scheduledAt: isoOrNull(slot.scheduled_at),
    proposal: proposalView(slot),
    createdAt: iso(slot.created_at),
    game: game.view,
    playtest: {
      ...slotPlaytestView(slot),
      payoutCents: slot.payout_cents,
      selectionMode: slot.selection_mode,
      minVideoSeconds: shortest(deps, slot),
    },
    submission: submissionView(slot),
    hasCaptions: slot.transcription_status === "approved",
    rating: ratingView(slot),
    rejection: rejectionView(slot),
    lost: lossOf(slot, earned, deps.clock.now()),
    blockedReport: reportView(slot),
    publishedUrl: slot.published_url,
    consentWithdrawnAt: isoOrNull(slot.consent_withdrawn_at),
    attempt: attemptOf(slot, attempts, deps.clock.now()),
    team: null,
    ...(secrets && secretsView(deps, slot, game.row, secrets)),
  };
}

/** What `shown` shows, from the rows that the claim has read. A slot that was just claimed has no video. */
async function claimedView(deps: Deps, q: Query, { slot, playtest, game, playtester: { display_name } }: Claimed) {
  const [known, keys] = await Promise.all([gameOf(q, game), playtest.uses_keys === 0 ? [] : keyStore.ofSlot(q, slot.id)]);
  const detail = slots.detailOfClaimed(slot, playtest, { game: game.name, playtester: display_name });
  return {
    slot: heldView(
      deps,
      detail,
      known,
      { attempts: [], earned: new Map() },
      // The build at the claim is the current one of the game.
      { keys, video: undefined, build: undefined, playerId: slot.playtester_id! },
    ),
  };
}

/** A slot that the playtester has or had, or in whose team they are. */
export async function own(q: ReadTx, slotId: string, playtesterId: string) {
  const slot = await slots.findForMember(q, slotId, playtesterId, q.now);
  if (!slot) throw notFound();
  return slot;
}

export async function shown(deps: Deps, q: ReadTx, slotId: string, playtesterId: string) {
  const [view] = await heldViews(deps, q, [await own(q, slotId, playtesterId)], playtesterId);
  return { slot: view! };
}

/** Refuses the other players of a team with 409. */
export function requireClaimant<S extends Pick<slots.SlotRow, "playtester_id">>(slot: S, playtesterId: string): S {
  if (slot.playtester_id === playtesterId) return slot;
  throw conflict("Only the playtester who claimed this slot can do that, once its team is complete. Nothing was changed.");
}

/** Refuses with 409 whoever was asked to join the team of a slot and does not play it: they have not consented to anything. */
async function requirePlayer(q: Query, { id, playtester_id }: slots.SlotRow, userId: string): Promise<void> {
  if (playtester_id === userId || (await teams.companions(q, id)).some(({ user_id }) => user_id === userId)) return;
  throw conflict("You do not play this slot, so you have consented to nothing. Nothing was changed.");
}

/** The playtester's slot, locked with its playtest and checked for this move. 409 when its deadline has passed, even before the job has run. */
async function ownBefore<Move extends "submit" | "release" | "report">(
  q: ReadTx,
  slotId: string,
  playtesterId: string,
  move: Move,
) {
  playtests.lockOfSlot(q, slotId);
  const [held, slot] = await Promise.all([own(q, slotId, playtesterId), slots.find(q, slotId)]);
  requireClaimant(held, playtesterId);
  if (statusAt(held, q.now) === "expired") throw conflict("The deadline of this slot has passed. Nothing was changed.");
  return slots.requireMove(slot!, move);
}

const shortest = (deps: Deps, { duration_minutes: booked }: Pick<playtests.PlaytestRow, "duration_minutes">) =>
  minVideoSeconds(booked, deps.config);

/** 409 for a video that nobody could watch. One of which that is not known is accepted. */
function requireWatchable({ facts }: slots.UploadedVideo) {
  const fault = videoFormatView(facts)?.fault;
  if (!fault) return;
  const { what, remedy } = problemOf(fault);
  throw conflict(`The uploaded file ${what}. Nothing was submitted. ${remedy} Then upload it.`);
}

/** 409 for a video that is much shorter than the booked time. One whose length cannot be read is accepted. */
function requireLongEnough(deps: Deps, playtest: playtests.PlaytestRow, { durationMs }: slots.UploadedVideo) {
  const needed = shortest(deps, playtest);
  if (durationMs === null || durationMs >= needed * 1000) return;
  throw conflict(
    `The video is ${lengthText(durationMs / 1000)} long. A playtest of ${playtest.duration_minutes} minutes needs a video of at least ${lengthText(needed)}. Nothing was submitted. Upload a longer video.`,
  );
}

/** How long before its deadline (ms) a video is accepted although it is not measured yet: nobody loses a slot because a server is busy. */
const lateMs = 3_600_000;

/** 409 for a video that is black, frozen or silent for more than the operator allows, and for one of which that is not known yet. */
async function requireUsable(
  deps: Deps,
  tx: Tx,
  slot: slots.SlotIn<"reserved">,
  { blobKey }: slots.UploadedVideo,
): Promise<void> {
  const { minPicturePercent: picture, minSoundPercent: sound } = deps.config.playtesters;
  if (picture === 0 && sound === 0) return;
  const measured = await slots.measuredOf(tx, slot.id, blobKey);
  const isLate = slot.deadline_at !== null && slot.deadline_at - tx.now < lateMs;
  if (measured?.status === "pending" && !isLate)
    throw conflict("The uploaded video is still being checked. Nothing was submitted. Try again in some minutes.");
  const refuse = (what: string, has: number | null | undefined, needed: number) => {
    if (has == null || has >= needed) return;
    throw conflict(
      `${what} in ${100 - has} % of the video. At least ${needed} % must be usable. Nothing was submitted. Look at your video, and upload a better one.`,
    );
  };
  refuse("The picture is black or frozen", measured?.picture_percent, picture);
  refuse("There is no sound", measured?.sound_percent, sound);
}

/** Claims a slot for a team of friends. It decides by rows of several accounts, so it is serializable. */
const claimWithFriends = (call: Call<Contract["claimPlaytest"]>, named: readonly NamedFriend[]) =>
  call.commit(async (tx) => {
    const me = call.principal.userId;
    const consent = { version: call.body.acceptConsent, address: call.client.address };
    const { scheduledAt } = call.body;
    return shown(call.deps, tx, await claimWith(tx, call.params.id, me, { named, consent, scheduledAt }), me);
  });

/** Ends a team of the playtester that is not complete, and shows its slot as it was. Undefined where there is none. */
async function withdrawnView(deps: Deps, tx: Tx, slotId: string, playtesterId: string) {
  if ((await teams.ofSlot(tx, slotId))?.status !== "asking") return undefined;
  const before = await shown(deps, tx, slotId, playtesterId);
  return (await withdraw(tx, slotId, playtesterId)) ? before : undefined;
}

export const playtester = {
  claimPlaytest: (call) =>
    call.body.with
      ? claimWithFriends(call, call.body.with)
      : call.commit(
          async (tx) => {
            const confirmed = { scheduledAt: call.body.scheduledAt };
            const consent = { version: call.body.acceptConsent, address: call.client.address };
            return claimedView(call.deps, tx, await claim(tx, call.params.id, call.principal.userId, { consent, confirmed }));
          },
          // Its slots and keys are of the playtest; the playtester's limits are over the slots that they hold.
          { ...playtests.rowLocks, locksCaller: true, locks: [call.params.id, call.principal.userId] },
        ),

  async listHeldSlots(call) {
    const page = call.page();
    const { rows, views } = await call.read(async (q) => {
      const found = await slots.listForMember(q, call.principal.userId, { state: call.query.state, now: q.now }, page);
      return { rows: found, views: await heldViews(call.deps, q, found, call.principal.userId) };
    });
    return call.listed(page, rows, (items) => ({ slots: views.slice(0, items.length) }));
  },

  getHeldSlot: (call) => call.read((q) => shown(call.deps, q, call.params.id, call.principal.userId)),

  submitSlot: (call) =>
    call.commit(async (tx) => {
      const slot = await ownBefore(tx, call.params.id, call.principal.userId, "submit");
      const [video, playtest] = await Promise.all([uploadedVideo(tx, slot.id), playtests.find(tx, slot.playtest_id)]);
      if (!video) throw conflict("This slot has no completely uploaded video. Nothing was submitted. Upload the video first.");
      requireWatchable(video);
      requireLongEnough(call.deps, playtest!, video);
      await requireUsable(call.deps, tx, slot, video);
      await requireFullTeam(tx, playtest!, slot.id);
      const { notes = "", device = null } = call.body;
      await submit(call.deps, tx, slot, video, { notes, device });
      return shown(call.deps, tx, slot.id, call.principal.userId);
    }, playtests.rowLocks),

  releaseSlot: (call) =>
    call.commit(async (tx) => {
      const withdrawn = await withdrawnView(call.deps, tx, call.params.id, call.principal.userId);
      if (withdrawn) return withdrawn;
      const slot = await ownBefore(tx, call.params.id, call.principal.userId, "release");
      await release(tx, (await playtests.find(tx, slot.playtest_id))!, slot);
      return shown(call.deps, tx, slot.id, call.principal.userId);
    }, playtests.rowLocks),

  withdrawVideo: (call) =>
    call.commit(async (tx) => {
      const { id, userId } = { id: call.params.id, userId: call.principal.userId };
      await requirePlayer(tx, await own(tx, id, userId), userId);
      await withdrawConsent(tx, id, userId, call.body.reason ?? null);
      return shown(call.deps, tx, id, userId);
    }, playtests.rowLocks),

  reportSlot: (call) =>
    call.commit(async (tx) => {
      const slot = await ownBefore(tx, call.params.id, call.principal.userId, "report");
      await report(tx, slot, { reasonCode: call.body.reasonCode, notes: call.body.notes ?? null });
      return shown(call.deps, tx, slot.id, call.principal.userId);
    }),
} satisfies Partial<Handlers>;
