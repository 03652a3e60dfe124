import type { BodyOut } from "../../../src/contract/endpoint.ts";
import type { Contract } from "../../../src/contract/index.ts";
import type { Deps } from "../../app/deps.ts";
import type { ReadTx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import * as games from "../../games/store.ts";
import { type Handlers, listedFrom } from "../../http/call.ts";
import { invalid, notFound, within } from "../../lib/api-error.ts";
import * as issues from "./issues-store.ts";
import { requireSaid } from "./quotes.ts";
import { countedFinding, knownOf, ranked } from "./rules.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";
import { findingView } from "./views.ts";

/** The owner's finding. 404 for what is not theirs. */
export const findingOf = async (q: Query, id: string, ownerId: string) => {
  const row = await store.findForOwner(q, id, ownerId);
  if (!row) throw notFound();
  return row;
};

export async function countedOf(q: Query, gameId: string) {
  const [builds, recordings] = await Promise.all([store.buildsOf(q, gameId), store.recordingsOf(q, gameId)]);
  return { builds, recordings };
}

/** A finding as it is now. */
export async function shown(q: Query, id: string, ownerId: string) {
  const row = await findingOf(q, id, ownerId);
  const parts = [countedOf(q, row.game_id), store.evidenceOf(q, "finding", id), issues.find(q, id)] as const;
  const [counted, evidence, issue] = await Promise.all(parts);
  const canUndo = (await store.lastChange(q, id)) !== undefined;
  return { finding: { ...findingView(countedFinding(row, evidence, knownOf(counted)), counted.builds, issue), canUndo } };
}

/** 404 for a game that is not the owner's. */
export const requireGame = async (q: ReadTx, id: string, ownerId: string) => {
  if (!(await games.findForOwner(q, id, ownerId))) throw notFound();
};

/** What a body says is evidence. 404 for a slot that is not the owner's, 422 for a quote that nobody said. */
async function evidenceIn(deps: Deps, body: BodyOut<Contract["addEvidence"]>, ownerId: string) {
  const given = service.spanOrMoment(body);
  if ("momentId" in given || given.quote === null) return given;
  // Whose video it is comes first: what others say in theirs is not to be guessed.
  await deps.store.read((q) => service.requireSlot(q, given.slotId, ownerId));
  await requireSaid(deps, given.quote, given);
  return given;
}

/** What owners find in the videos of their games. */
export const findings = {
  async createFinding(call) {
    const ownerId = call.principal.userId;
    const { evidence: bodies, ...described } = call.body;
    const field = (index: number) => `evidence.${index}`;
    const evidence: Awaited<ReturnType<typeof evidenceIn>>[] = [];
    for (const [index, body] of bodies.entries())
      evidence.push(await within(field(index), () => evidenceIn(call.deps, body, ownerId)));
    return call.commit(async (tx) => {
      await requireGame(tx, call.params.id, ownerId);
      const row = await service.create(tx, ownerId, call.params.id, described);
      for (const [index, given] of evidence.entries()) await within(field(index), () => service.addEvidence(tx, row, given));
      return shown(tx, row.id, ownerId);
    });
  },

  async listFindings(call) {
    const { id } = call.params;
    if (call.query.against !== undefined && call.query.build === undefined)
      throw invalid("against", "needs build, the build to compare with it");
    const [counted, rows, evidence, filed] = await call.read(async (q) => {
      await requireGame(q, id, call.principal.userId);
      return Promise.all([
        countedOf(q, id),
        store.listOfGame(q, id, call.query.number),
        store.evidenceOf(q, "game", id),
        issues.ofGame(q, id),
      ]);
    });
    const issueOf = new Map(filed.map((issue) => [issue.finding_id, issue]));
    const all = ranked(rows, evidence, counted, call.query);
    return listedFrom(call.page(), all, (items) => ({
      findings: items.map((one) => findingView(one, counted.builds, issueOf.get(one.id))),
    }));
  },

  getFinding: (call) => call.read((q) => shown(q, call.params.id, call.principal.userId)),

  updateFinding: (call) =>
    call.commit(async (tx) => {
      const row = await findingOf(tx, call.params.id, call.principal.userId);
      await service.change(tx, row, call.body);
      return shown(tx, row.id, row.owner_id);
    }),

  deleteFinding: (call) =>
    call.commit(async (tx) => {
      await service.remove(tx, await findingOf(tx, call.params.id, call.principal.userId));
      return { message: "The finding is deleted." };
    }),

  async addEvidence(call) {
    const ownerId = call.principal.userId;
    await call.read((q) => findingOf(q, call.params.id, ownerId));
    const given = await evidenceIn(call.deps, call.body, ownerId);
    return call.commit(async (tx) => {
      const row = await findingOf(tx, call.params.id, ownerId);
      await service.addEvidence(tx, row, given);
      return shown(tx, row.id, ownerId);
    });
  },

  removeEvidence: (call) =>
    call.commit(async (tx) => {
      const row = await findingOf(tx, call.params.id, call.principal.userId);
      await service.removeEvidence(tx, row, call.params.evidenceId);
      return shown(tx, row.id, row.owner_id);
    }),

  mergeFinding: (call) =>
    call.commit(async (tx) => {
      const row = await findingOf(tx, call.params.id, call.principal.userId);
      await service.merge(tx, row, await findingOf(tx, call.body.findingId, row.owner_id));
      return shown(tx, row.id, row.owner_id);
    }),

  splitFinding: (call) =>
    call.commit(async (tx) => {
      const row = await findingOf(tx, call.params.id, call.principal.userId);
      const { id } = await service.split(tx, row, call.body);
      return shown(tx, id, row.owner_id);
    }),

  undoFinding: (call) =>
    call.commit(async (tx) => {
      const row = await findingOf(tx, call.params.id, call.principal.userId);
      await service.undo(tx, row);
      return shown(tx, row.id, row.owner_id);
    }),
} satisfies Partial<Handlers>;
