import type { ReadTx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import * as games from "../../games/store.ts";
import { type Handlers, listedFrom } from "../../http/call.ts";
import { invalid, notFound } from "../../lib/api-error.ts";
import { requireSaid } from "./quotes.ts";
import { countedFinding, ranked, recordingsIn } from "./rules.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { findingView } from "./views.ts";

const found = async (q: Query, id: string, ownerId: string) => {
  const row = await store.findForOwner(q, id, ownerId);
  if (!row) throw notFound();
  return row;
};

async function countedOf(q: Query, gameId: string) {
  const [builds, recordings] = await Promise.all([store.buildsOf(q, gameId), store.recordingsOf(q, gameId)]);
  return { builds, recordings };
}

/** A finding as it is now. */
async function shown(q: Query, id: string, ownerId: string) {
  const row = await found(q, id, ownerId);
  const [counted, evidence] = await Promise.all([countedOf(q, row.game_id), store.evidenceOf(q, "finding", id)]);
  return { finding: findingView(countedFinding(row, evidence, recordingsIn(counted), counted.builds), counted.builds) };
}

const requireGame = async (q: ReadTx, id: string, ownerId: string) => {
  if (!(await games.findForOwner(q, id, ownerId))) throw notFound();
};

/** What owners find in the videos of their games. */
export const findings = {
  createFinding: (call) =>
    call.commit(async (tx) => {
      const ownerId = call.principal.userId;
      await requireGame(tx, call.params.id, ownerId);
      const { id } = await service.create(tx, ownerId, call.params.id, call.body);
      return shown(tx, id, ownerId);
    }),

  async listFindings(call) {
    const { id } = call.params;
    if (call.query.against !== undefined && call.query.build === undefined)
      throw invalid("against", "needs build, the build to compare with it");
    const [counted, rows, evidence] = await call.read(async (q) => {
      await requireGame(q, id, call.principal.userId);
      return Promise.all([countedOf(q, id), store.listOfGame(q, id, call.query.number), store.evidenceOf(q, "game", id)]);
    });
    const all = ranked(rows, evidence, counted, call.query);
    return listedFrom(call.page(), all, (items) => ({ findings: items.map((one) => findingView(one, counted.builds)) }));
  },

  getFinding: (call) => call.read((q) => shown(q, call.params.id, call.principal.userId)),

  updateFinding: (call) =>
    call.commit(async (tx) => {
      const row = await found(tx, call.params.id, call.principal.userId);
      await service.change(tx, row, call.body);
      return shown(tx, row.id, row.owner_id);
    }),

  deleteFinding: (call) =>
    call.commit(async (tx) => {
      await service.remove(tx, await found(tx, call.params.id, call.principal.userId));
      return { message: "The finding is deleted." };
    }),

  async addEvidence(call) {
    const ownerId = call.principal.userId;
    const given = service.spanOrMoment(call.body);
    await call.read((q) => found(q, call.params.id, ownerId));
    if ("slotId" in given && given.quote !== null) {
      // Whose video it is comes first: what others say in theirs is not to be guessed.
      await call.read((q) => service.requireSlot(q, given.slotId, ownerId));
      await requireSaid(call.deps, given.quote, given);
    }
    return call.commit(async (tx) => {
      const row = await found(tx, call.params.id, ownerId);
      await service.addEvidence(tx, row, given);
      return shown(tx, row.id, ownerId);
    });
  },

  removeEvidence: (call) =>
    call.commit(async (tx) => {
      const row = await found(tx, call.params.id, call.principal.userId);
      await service.removeEvidence(tx, row, call.params.evidenceId);
      return shown(tx, row.id, row.owner_id);
    }),

  mergeFinding: (call) =>
    call.commit(async (tx) => {
      const row = await found(tx, call.params.id, call.principal.userId);
      await service.merge(tx, row, await found(tx, call.body.findingId, row.owner_id));
      return shown(tx, row.id, row.owner_id);
    }),

  splitFinding: (call) =>
    call.commit(async (tx) => {
      const row = await found(tx, call.params.id, call.principal.userId);
      const { id } = await service.split(tx, row, call.body);
      return shown(tx, id, row.owner_id);
    }),

  undoFinding: (call) =>
    call.commit(async (tx) => {
      const row = await found(tx, call.params.id, call.principal.userId);
      await service.undo(tx, row);
      return shown(tx, row.id, row.owner_id);
    }),
} satisfies Partial<Handlers>;
