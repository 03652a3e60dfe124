import type { Deps } from "../../app/deps.ts";
import type { ReadTx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { coverPath } from "../../games/covers/rules.ts";
import * as games from "../../games/store.ts";
import type { Handlers } from "../../http/call.ts";
import { notFound } from "../../lib/api-error.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { agreementToAccept } from "../agreements/service.ts";
import { windowOver } from "../slots/rules.ts";
import * as slots from "../slots/store.ts";
import * as playtests from "../store.ts";
import { applicationsExpireAt } from "../views.ts";
import { applicationAt, ratingAverage } from "./rules.ts";
import * as moves from "./service.ts";
import * as store from "./store.ts";

const decisionView = (deps: Deps, row: store.ApplicationRow & { window_at: number | null }) => {
  const { status, reviewedAt } = applicationAt(row, deps.clock.now());
  return {
    id: row.id,
    status,
    qualificationsResponse: row.qualifications_response,
    createdAt: iso(row.created_at),
    reviewedAt: isoOrNull(reviewedAt),
    assignedSlotId: row.assigned_slot_id,
  };
};

const applicantView = (deps: Deps, row: store.ApplicantRow) => ({
  ...decisionView(deps, row),
  playtesterId: row.playtester_id,
  displayName: row.display_name,
  gamingExperience: row.gaming_experience,
  validatedAt: isoOrNull(row.validated_at),
  ratingAverage: ratingAverage(row.score_sum, row.score_count),
  acceptedCount: String(row.accepted_count),
});

const ownView = async (deps: Deps, q: Query, row: store.OwnApplicationRow) => {
  const decision = decisionView(deps, row);
  const isPending = decision.status === "pending";
  const mustAccept = isPending && (await agreementToAccept(q, row.game_id, row.playtester_id)) !== undefined;
  return { ...decision, ...placeOf(row), mustAccept };
};

const placeOf = (row: store.OwnApplicationRow) => ({
  playtestId: row.playtest_id,
  gameId: row.game_id,
  gameName: row.game_name,
  coverPath: row.cover_hash === null ? null : coverPath(row.game_id, row.cover_hash),
});

/** An application to one of the owner's playtests, locked with that. */
async function received(tx: Query, id: string, ownerId: string) {
  playtests.lockOfApplication(tx, id);
  const application = await store.find(tx, id);
  const playtest = application && (await playtests.findForOwner(tx, application.playtest_id, ownerId));
  if (!application || !playtest) throw notFound();
  return { application, playtest };
}

async function own(q: Query, id: string, playtesterId: string) {
  const application = await store.findOwn(q, id, playtesterId);
  if (!application) throw notFound();
  return application;
}

const shown = async (deps: Deps, q: Query, id: string) => applicantView(deps, (await store.findApplicant(q, id))!);

async function requestView(q: Query, playtest: playtests.PlaytestRow) {
  const game = await games.find(q, playtest.game_id);
  return {
    id: playtest.id,
    gameId: playtest.game_id,
    gameName: game?.name ?? "",
    quantity: playtest.quantity,
    qualifications: playtest.qualifications,
    selectionMode: playtest.selection_mode,
    applicationsExpireAt: isoOrNull(applicationsExpireAt(playtest)),
    scheduledAt: isoOrNull(playtest.scheduled_at),
  };
}

async function countsView(q: ReadTx, playtest: playtests.PlaytestRow) {
  const { approved, pending } = await store.countsOf(q, playtest.id);
  const over = windowOver(playtest, q.now);
  const open = over ? [] : await slots.openOf(q, playtest.id);
  return { approvedCount: approved, pendingCount: over ? 0 : pending, slotsRemaining: open.length };
}

export const applications = {
  async listApplications(call) {
    const page = call.page();
    const { rows, request, counts } = await call.read(async (q) => {
      const playtest = await playtests.findForOwner(q, call.params.id, call.principal.userId);
      if (!playtest) throw notFound();
      const found = await store.listForPlaytest(q, playtest.id, page);
      return { rows: found, request: await requestView(q, playtest), counts: await countsView(q, playtest) };
    });
    return call.listed(page, rows, (items) => ({
      request,
      counts,
      applications: items.map((row) => applicantView(call.deps, row)),
    }));
  },

  approveApplication: (call) =>
    call.commit(
      async (tx) => {
        const { application, playtest } = await received(tx, call.params.id, call.principal.userId);
        const { slotId, slotsRemaining } = await moves.approve(tx, playtest, application);
        return { application: await shown(call.deps, tx, application.id), assignedSlotId: slotId, slotsRemaining };
      },
      // Decides by the locked playtest, its slots and applications, and by what the locked playtester holds.
      { ...playtests.rowLocks, queue: call.principal.userId },
    ),

  rejectApplication: (call) =>
    call.commit(async (tx) => {
      const { application, playtest } = await received(tx, call.params.id, call.principal.userId);
      await moves.reject(tx, playtest, application, call.body.customMessage);
      return { application: await shown(call.deps, tx, application.id) };
    }, playtests.rowLocks),

  applyToPlaytest: (call) =>
    call.commit(
      async (tx) => {
        const response = call.body.qualificationsResponse ?? null;
        const consent = { version: call.body.acceptConsent, address: call.client.address };
        const confirmed = { scheduledAt: call.body.scheduledAt };
        const { id } = await moves.apply(tx, call.params.id, call.principal.userId, response, { consent, confirmed });
        return { application: await ownView(call.deps, tx, await own(tx, id, call.principal.userId)) };
      },
      // Decides by the locked playtest, its slots and the applicant's history; a unique index refuses a second application.
      { ...playtests.rowLocks, queue: call.params.id },
    ),

  async listOwnApplications(call) {
    const page = call.page();
    const { rows, views } = await call.read(async (q) => {
      const found = await store.listOwn(q, call.principal.userId, page);
      return { rows: found, views: await Promise.all(found.map((row) => ownView(call.deps, q, row))) };
    });
    return call.listed(page, rows, (items) => ({ applications: views.slice(0, items.length) }));
  },

  withdrawApplication: (call) =>
    call.commit(async (tx) => {
      playtests.lockOfApplication(tx, call.params.id);
      const application = await own(tx, call.params.id, call.principal.userId);
      await moves.withdraw(tx, (await playtests.find(tx, application.playtest_id))!, application);
      return { application: await ownView(call.deps, tx, await own(tx, application.id, call.principal.userId)) };
    }, playtests.rowLocks),
} satisfies Partial<Handlers>;
