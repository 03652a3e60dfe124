import { problemOf } from "../../../src/contract/files/inspect-video.ts";
import type { Contract } from "../../../src/contract/index.ts";
import type { SlotStatus } from "../../../src/contract/states/index.ts";
import { lengthText } from "../../../src/contract/text/length.ts";
import * as users from "../../accounts/users-store.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import * as covers from "../../games/covers/store.ts";
import * as games from "../../games/store.ts";
import { relationsView } from "../../games/views.ts";
import type { Call, Handlers } from "../../http/call.ts";
import { conflict, notFound } from "../../lib/api-error.ts";
import { signedBuildUrl } from "../../lib/signed-links.ts";
import { iso, isoOrNull, secondsOf } from "../../lib/time.ts";
import { agreementToAccept } from "../agreements/service.ts";
import * as consents from "../agreements/store.ts";
import { claimable } from "../keys/rules.ts";
import { open } from "../keys/service.ts";
import * as keyStore from "../keys/store.ts";
import { asked } from "../publications/consents.ts";
import { withdrawConsent } from "../publications/service.ts";
import * as playtests from "../store.ts";
import { withdraw } from "../teams/changes.ts";
import { claimWith, type NamedFriend } from "../teams/claim.ts";
import { needsTeam, requireFullTeam } from "../teams/requirements.ts";
import * as teams from "../teams/store.ts";
import { isPlayer, type KnownTeam, teamsOf, teamView } from "../teams/views.ts";
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

/** What helps to play a slot, for one of its players, who sees no keys of the others. */
const handedOut = async (q: Query, { id }: slots.SlotDetailRow, playerId: string) => {
  const [keys, video] = await Promise.all([keyStore.ofSlot(q, id), slots.uploadedVideo(q, id)]);
  return { keys: keys.filter(({ user_id }) => user_id === null || user_id === playerId), video };
};

type HandedOut = Awaited<ReturnType<typeof handedOut>>;

function secretsView(
  deps: Deps,
  slot: slots.SlotDetailRow,
  game: games.GameRow,
  { keys, video, playerId }: HandedOut & { playerId: string },
) {
  return {
    instructions: game.instructions,
    notesForTesters: slot.notes_for_testers,
    keys: keys.map((key) => open(deps, slot.playtest_id, key)),
    buildUrl: signedBuildUrl(deps, game, playerId),
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
async function claimableCounts(q: ReadTx, rows: readonly playtests.PlaytestRow[]) {
  const ids = rows.map((row) => row.id);
  const [opened, unused] = [await playtests.openCounts(q, ids, q.now), await keyStore.unusedCounts(q, ids)];
  const asking = await teams.askingCounts(q, ids, q.now);
  const countOf = ({ id, uses_keys, player_count }: playtests.PlaytestRow) => {
    const count = opened.get(id) ?? 0;
    if (uses_keys === 0) return count;
    const left = (unused.get(id) ?? 0) - (asking.get(id) ?? 0) * player_count;
    return Math.max(0, claimable(count, left, player_count));
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

/** Slots as one of their players sees them. */
async function heldViews(deps: Deps, q: ReadTx, rows: readonly slots.SlotDetailRow[], playerId: string) {
  const known = gamesOf(
    q,
    rows.map((row) => row.game_id),
  );
  // Those of the first slot are read together with the games: mostly it is the only one.
  known.catch(() => {});
  const multiplayer = rows.filter((row) => row.player_count > 1).map((row) => row.id);
  const inTeams = await teamsOf(q, multiplayer);
  const reader = inTeams.size === 0 ? undefined : await users.find(q, playerId);
  const views = [];
  for (const slot of rows) {
    const status = statusAt(slot, q.now);
    const team = inTeams.get(slot.id);
    const mayPlay = slot.playtester_id === playerId || (team !== undefined && isPlayer(team, playerId));
    const secrets = mayPlay && statusesWithAccess.includes(status) ? await handedOut(q, slot, playerId) : undefined;
    const game = (await known).get(slot.game_id)!;
    const view = heldView(deps, slot, game, secrets && { ...secrets, playerId });
    views.push(team ? { ...view, team: await teamOf(deps, q, slot, team, reader!) } : view);
  }
  return views;
}

/** The team of a slot as this member sees it. */
async function teamOf(deps: Deps, q: ReadTx, slot: slots.SlotDetailRow, team: KnownTeam, reader: users.UserRow) {
  const isAsked = team.members.some(({ user_id, status }) => user_id === reader.id && status === "asked");
  const mustAccept = isAsked && (await agreementToAccept(q, slot.game_id, reader.id)) !== undefined;
  return teamView(team, reader.id, { publicationConsent: asked(deps, slot, reader), mustAccept });
}

function heldView(
  deps: Deps,
  slot: slots.SlotDetailRow,
  game: Awaited<ReturnType<typeof gameOf>>,
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
    blockedReport: reportView(slot),
    publishedUrl: slot.published_url,
    team: null,
    ...(secrets && secretsView(deps, slot, game.row, secrets)),
  };
}

/** What `shown` shows, from the rows that the claim has read. A slot that was just claimed has no video. */
async function claimedView(deps: Deps, q: Query, { slot, playtest, game, playtester: { display_name } }: Claimed) {
  const [known, keys] = await Promise.all([gameOf(q, game), playtest.uses_keys === 0 ? [] : keyStore.ofSlot(q, slot.id)]);
  const detail = slots.detailOfClaimed(slot, playtest, { game: game.name, playtester: display_name });
  return { slot: heldView(deps, detail, known, { keys, video: undefined, playerId: slot.playtester_id! }) };
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
  async listOffers(call) {
    const page = call.page();
    const { device, language } = call.query;
    const { multiplayer, playtesters } = call.deps.config;
    const { rows, known, slotsOpen, heldSlots, mustAccept, languages, reader, friends } = await call.read(async (q) => {
      const me = call.principal.userId;
      const offeredTo = { id: me, now: q.now, maxHeld: multiplayer.friends ? playtesters.maxReserved : undefined };
      const found = await playtests.listOffers(q, offeredTo, { device, language }, page);
      const forTeams = found.filter((row) => needsTeam(call.deps.config, row)).map((row) => row.id);
      return {
        rows: found,
        friends: await playtests.friendsFor(q, offeredTo, forTeams),
        languages: await playtests.languagesOffered(q, offeredTo),
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
        team: needsTeam(call.deps.config, row)
          ? {
              friendsNeeded: row.player_count - 1,
              confirmWithinMinutes: Math.round(multiplayer.confirmWithinMs / 60_000),
              friends: friends
                .filter(({ playtest_id }) => playtest_id === row.id)
                .map(({ handle, display_name: displayName }) => ({ handle, displayName })),
            }
          : null,
        slotsOpen: slotsOpen.get(row.id) ?? 0,
        minVideoSeconds: shortest(call.deps, row),
        createdAt: iso(row.created_at),
      })),
    }));
  },

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
      const found = await slots.listForMember(q, call.principal.userId, q.now, page);
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
      const slot = requireClaimant(await own(tx, call.params.id, call.principal.userId), call.principal.userId);
      await withdrawConsent(tx, slot.id, call.body.reason);
      return shown(call.deps, tx, slot.id, call.principal.userId);
    }, playtests.rowLocks),

  reportSlot: (call) =>
    call.commit(async (tx) => {
      const slot = await ownBefore(tx, call.params.id, call.principal.userId, "report");
      await report(tx, slot, { reasonCode: call.body.reasonCode, notes: call.body.notes ?? null });
      return shown(call.deps, tx, slot.id, call.principal.userId);
    }),
} satisfies Partial<Handlers>;
