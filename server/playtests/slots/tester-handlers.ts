import { problemOf } from "../../../src/contract/files/inspect-video.ts";
import type { SlotStatus } from "../../../src/contract/states/index.ts";
import { lengthText } from "../../../src/contract/text/length.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import type * as games from "../../games/store.ts";
import type { Handlers } from "../../http/call.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { signedBuildUrl } from "../../lib/signed-links.ts";
import { iso, isoOrNull, secondsOf } from "../../lib/time.ts";
import { open } from "../keys/service.ts";
import * as keyStore from "../keys/store.ts";
import * as playtests from "../store.ts";
import { ratingView, rejectionView, reportView, slotPlaytestView, submissionView, videoFormatView } from "../views.ts";
import { type Attempts, attemptOf, attemptsBeside } from "./attempts.ts";
import { type Claimed, claim } from "./claims.ts";
import { availableFrom, unpaidOf } from "./earnings.ts";
import * as earnings from "./earnings-store.ts";
import { gameOf, gamesOf } from "./offered-games.ts";
import { report } from "./report-moves.ts";
import { minVideoSeconds, statusAt } from "./rules.ts";
import * as slots from "./store.ts";
import { uploadedVideo } from "./store.ts";
import { release, submit } from "./transitions.ts";

/** A playtester sees the instructions, keys and build of a slot only while it has one of these statuses. */
const statusesWithAccess: readonly SlotStatus[] = ["reserved", "blocked", "submitted"];

const handedOut = async (q: Query, { id }: slots.SlotDetailRow) => {
  const [keys, video] = await Promise.all([keyStore.ofSlot(q, id), slots.uploadedVideo(q, id)]);
  return { keys, video };
};

type HandedOut = Awaited<ReturnType<typeof handedOut>>;

function secretsView(deps: Deps, slot: slots.SlotDetailRow, game: games.GameRow, { keys, video }: HandedOut) {
  return {
    instructions: game.instructions,
    notesForTesters: slot.notes_for_testers,
    keys: keys.map((key) => open(deps, slot.playtest_id, key)),
    buildUrl: signedBuildUrl(deps, game, slot.playtester_id!),
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

/** The slots of one playtester. */
async function heldViews(deps: Deps, q: ReadTx, rows: readonly slots.SlotDetailRow[]) {
  const known = gamesOf(
    q,
    rows.map((row) => row.game_id),
  );
  // Those of the first slot are read together with the games: mostly it is the only one.
  known.catch(() => {});
  const attempts = await attemptsBeside(q, rows);
  const views = [];
  for (const slot of rows) {
    const status = statusAt(slot, q.now);
    const secrets = statusesWithAccess.includes(status) ? await handedOut(q, slot) : undefined;
    views.push(heldView(deps, slot, (await known).get(slot.game_id)!, attempts, secrets));
  }
  return views;
}

function heldView(
  deps: Deps,
  slot: slots.SlotDetailRow,
  game: Awaited<ReturnType<typeof gameOf>>,
  attempts: Attempts,
  secrets: HandedOut | undefined,
) {
  return {
    id: slot.id,
    requestId: slot.playtest_id,
    status: statusAt(slot, deps.clock.now()),
    deadlineAt: isoOrNull(slot.deadline_at),
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
    blockedReport: reportView(slot),
    publishedUrl: slot.published_url,
    attempt: attemptOf(slot, attempts, deps.clock.now()),
    ...(secrets && secretsView(deps, slot, game.row, secrets)),
  };
}

/** What `shown` shows, from the rows that the claim has read. A slot that was just claimed has no video. */
async function claimedView(deps: Deps, q: Query, { slot, playtest, game, playtester: { display_name } }: Claimed) {
  const [known, keys] = await Promise.all([gameOf(q, game), playtest.uses_keys === 0 ? [] : keyStore.ofSlot(q, slot.id)]);
  const detail = slots.detailOfClaimed(slot, playtest, { game: game.name, playtester: display_name });
  return { slot: heldView(deps, detail, known, [], { keys, video: undefined }) };
}

async function own(q: Query, slotId: string, playtesterId: string) {
  const slot = await slots.findForPlaytester(q, slotId, playtesterId);
  if (!slot) throw notFound();
  return slot;
}

async function shown(deps: Deps, q: ReadTx, slotId: string, playtesterId: string) {
  const [view] = await heldViews(deps, q, [await own(q, slotId, playtesterId)]);
  return { slot: view! };
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

export const playtester = {
  claimPlaytest: (call) =>
    call.commit(
      async (tx) => {
        const consent = { version: call.body.acceptConsent, address: call.client.address };
        return claimedView(call.deps, tx, await claim(tx, call.params.id, call.principal.userId, { consent }));
      },
      // Its slots and keys are of the playtest; the playtester's limits are over the slots that they hold.
      { ...playtests.rowLocks, locksCaller: true, locks: [call.params.id, call.principal.userId] },
    ),

  async listHeldSlots(call) {
    const page = call.page();
    const { rows, views } = await call.read(async (q) => {
      const found = await slots.listForPlaytester(q, call.principal.userId, { state: call.query.state, now: q.now }, page);
      return { rows: found, views: await heldViews(call.deps, q, found) };
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
      const { notes = "", device = null } = call.body;
      await submit(call.deps, tx, slot, video, { notes, device });
      return shown(call.deps, tx, slot.id, call.principal.userId);
    }, playtests.rowLocks),

  releaseSlot: (call) =>
    call.commit(async (tx) => {
      const slot = await ownBefore(tx, call.params.id, call.principal.userId, "release");
      await release(tx, (await playtests.find(tx, slot.playtest_id))!, slot);
      return shown(call.deps, tx, slot.id, call.principal.userId);
    }, playtests.rowLocks),

  reportSlot: (call) =>
    call.commit(async (tx) => {
      const slot = await ownBefore(tx, call.params.id, call.principal.userId, "report");
      await report(tx, slot, { reasonCode: call.body.reasonCode, notes: call.body.notes ?? null });
      return shown(call.deps, tx, slot.id, call.principal.userId);
    }),

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
