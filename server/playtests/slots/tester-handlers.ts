import { problemOf } from "../../../src/contract/files/inspect-video.ts";
import type { SlotStatus } from "../../../src/contract/states/index.ts";
import { lengthText } from "../../../src/contract/text/length.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import * as covers from "../../games/covers/store.ts";
import * as games from "../../games/store.ts";
import { relationsView } from "../../games/views.ts";
import type { Handlers } from "../../http/call.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { signedBuildUrl } from "../../lib/signed-links.ts";
import { iso, isoOrNull, secondsOf } from "../../lib/time.ts";
import * as consents from "../agreements/store.ts";
import { claimable } from "../keys/rules.ts";
import { open } from "../keys/service.ts";
import * as keyStore from "../keys/store.ts";
import { asked } from "../publications/consents.ts";
import { answer } from "../schedule/moves.ts";
import * as playtests from "../store.ts";
import {
  applicationsExpireAt,
  proposalView,
  ratingView,
  rejectionView,
  reportView,
  slotPlaytestView,
  submissionView,
  videoFormatView,
} from "../views.ts";
import { type Claimed, claim } from "./claims.ts";
import { availableFrom, unpaidOf } from "./earnings.ts";
import * as earnings from "./earnings-store.ts";
import { report } from "./report-moves.ts";
import { minVideoSeconds, statusAt } from "./rules.ts";
import * as slots from "./store.ts";
import { uploadedVideo } from "./store.ts";
import { release, submit } from "./transitions.ts";

/** A playtester sees the instructions, keys and build of a slot only while it has one of these statuses. */
const statusesWithAccess: readonly SlotStatus[] = ["reserved", "blocked", "submitted"];

const offeredGameView = (game: games.GameRow, categories: games.CategoryRow[], coverPath: string | undefined) => ({
  id: game.id,
  name: game.name,
  description: game.description,
  coverImageUrl: game.cover_image_url,
  coverPath: coverPath ?? null,
  externalUrl: game.external_url,
  ...relationsView(game, categories),
});

async function gamesOf(q: Query, ids: readonly string[]) {
  const known = [...new Set(ids)];
  const [rows, categories, paths] = await Promise.all([
    games.findMany(q, known),
    games.categoriesOf(q, known),
    covers.pathsOf(q, known),
  ]);
  const viewOf = (row: games.GameRow) => offeredGameView(row, categories.get(row.id) ?? [], paths.get(row.id));
  return new Map(rows.map((row) => [row.id, { row, view: viewOf(row) }]));
}

/** As `gamesOf`, of a game whose row was read already. */
async function gameOf(q: Query, row: games.GameRow) {
  const [categories, paths] = await Promise.all([
    games.categoriesOf(q, [row.id]),
    row.cover_image_url === null ? undefined : covers.pathsOf(q, [row.id]),
  ]);
  return { row, view: offeredGameView(row, categories.get(row.id) ?? [], paths?.get(row.id)) };
}

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

/** How many slots of each playtest can be claimed now. */
async function claimableCounts(q: Query, rows: readonly playtests.PlaytestRow[]) {
  const ids = rows.map((row) => row.id);
  const [opened, unused] = [await playtests.openCounts(q, ids), await keyStore.unusedCounts(q, ids)];
  const countOf = ({ id, uses_keys, player_count }: playtests.PlaytestRow) => {
    const count = opened.get(id) ?? 0;
    return uses_keys === 0 ? count : claimable(count, unused.get(id) ?? 0, player_count);
  };
  return new Map(rows.map((row) => [row.id, countOf(row)]));
}

/** The games whose agreement the playtester has not accepted. */
async function gamesToAccept(q: Query, rows: readonly playtests.PlaytestRow[], playtesterId: string) {
  const found = new Set<string>();
  for (const gameId of new Set(rows.map((row) => row.game_id))) {
    const agreement = await consents.inForce(q, gameId);
    if (agreement && !(await consents.findAcceptance(q, agreement.id, playtesterId))) found.add(gameId);
  }
  return found;
}

async function heldViews(deps: Deps, q: ReadTx, rows: readonly slots.SlotDetailRow[]) {
  const known = gamesOf(
    q,
    rows.map((row) => row.game_id),
  );
  // Those of the first slot are read together with the games: mostly it is the only one.
  known.catch(() => {});
  const views = [];
  for (const slot of rows) {
    const status = statusAt(slot, q.now);
    const secrets = statusesWithAccess.includes(status) ? await handedOut(q, slot) : undefined;
    views.push(heldView(deps, slot, (await known).get(slot.game_id)!, secrets));
  }
  return views;
}

function heldView(
  deps: Deps,
  slot: slots.SlotDetailRow,
  game: Awaited<ReturnType<typeof gameOf>>,
  secrets: HandedOut | undefined,
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
    blockedReport: reportView(slot),
    publishedUrl: slot.published_url,
    ...(secrets && secretsView(deps, slot, game.row, secrets)),
  };
}

/** What `shown` shows, from the rows that the claim has read. A slot that was just claimed has no video. */
async function claimedView(deps: Deps, q: Query, { slot, playtest, game, playtester: { display_name } }: Claimed) {
  const [known, keys] = await Promise.all([gameOf(q, game), playtest.uses_keys === 0 ? [] : keyStore.ofSlot(q, slot.id)]);
  const detail = slots.detailOfClaimed(slot, playtest, { game: game.name, playtester: display_name });
  return { slot: heldView(deps, detail, known, { keys, video: undefined }) };
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

/** The same for an answer to another time, which also a blocked slot takes. */
async function ownHeld(q: ReadTx, slotId: string, playtesterId: string) {
  playtests.lockOfSlot(q, slotId);
  const [, slot] = await Promise.all([own(q, slotId, playtesterId), slots.find(q, slotId)]);
  if (slots.isIn(slot!, "reserved", "blocked")) return slot;
  throw conflict(`No other time is proposed for this slot: it is ${slot!.status}. Nothing was changed.`);
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
  async listOffers(call) {
    const page = call.page();
    const { device, language } = call.query;
    const { rows, known, slotsOpen, heldSlots, mustAccept, languages, reader } = await call.read(async (q) => {
      const me = call.principal.userId;
      const found = await playtests.listOffers(q, me, { now: q.now, device, language }, page);
      return {
        rows: found,
        languages: await playtests.languagesOffered(q, me, q.now),
        reader: (await users.find(q, me))!,
        heldSlots: await slots.held(q, me, q.now),
        known: await gamesOf(
          q,
          found.map((row) => row.game_id),
        ),
        slotsOpen: await claimableCounts(q, found),
        mustAccept: await gamesToAccept(q, found, call.principal.userId),
      };
    });
    return call.listed(page, rows, (items) => ({
      heldSlots,
      filters: { languages },
      playtests: items.map((row) => ({
        id: row.id,
        game: known.get(row.game_id)!.view,
        visibility: row.visibility,
        durationMinutes: row.duration_minutes,
        playerCount: row.player_count,
        payoutCents: row.payout_cents,
        selectionMode: row.selection_mode,
        qualifications: row.qualifications,
        panel: row.panel,
        mustAccept: mustAccept.has(row.game_id),
        publicationConsent: asked(call.deps, row, reader),
        applicationsExpireAt: isoOrNull(applicationsExpireAt(row)),
        scheduledAt: isoOrNull(row.scheduled_at),
        slotsOpen: slotsOpen.get(row.id) ?? 0,
        minVideoSeconds: shortest(call.deps, row),
        createdAt: iso(row.created_at),
      })),
    }));
  },

  claimPlaytest: (call) =>
    call.commit(
      async (tx) => {
        const consent = { version: call.body.acceptConsent, address: call.client.address };
        const confirmed = { scheduledAt: call.body.scheduledAt };
        return claimedView(call.deps, tx, await claim(tx, call.params.id, call.principal.userId, { consent, confirmed }));
      },
      // Its slots and keys are of the playtest; the playtester's limits are over the slots that they hold.
      { ...playtests.rowLocks, locksCaller: true, locks: [call.params.id, call.principal.userId] },
    ),

  async listHeldSlots(call) {
    const page = call.page();
    const { rows, views } = await call.read(async (q) => {
      const found = await slots.listForPlaytester(q, call.principal.userId, page);
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

  rescheduleSlot: (call) =>
    call.commit(async (tx) => {
      const slot = await ownHeld(tx, call.params.id, call.principal.userId);
      await answer(tx, (await playtests.find(tx, slot.playtest_id))!, slot, call.body.accept);
      return shown(call.deps, tx, slot.id, call.principal.userId);
    }),

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
