import type { ReadTx, Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import type { Handlers } from "../../http/call.ts";
import { ApiError, conflict } from "../../lib/api-error.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import { askAgain } from "../applications/ask-again.ts";
import { ownGame } from "../find.ts";
import { knownOffer } from "../slots/known-offers.ts";
import { askToAccept } from "../teams/tell.ts";
import { endAgreement, publish, requireAcceptance, versionOf } from "./service.ts";
import * as store from "./store.ts";

const agreementView = (row: store.PublishedRow) => ({
  version: versionOf(row),
  text: row.text,
  sha256: row.sha256,
  gameId: row.game_id,
  publishedAt: iso(row.created_at),
});

const acceptanceView = (row: store.ListedAcceptanceRow) => ({
  id: row.id,
  version: versionOf(row),
  sha256: row.sha256,
  gameId: row.game_id,
  playtester: { id: row.user_id, displayName: row.display_name },
  acceptedAt: iso(row.created_at),
});

/** Publishes or ends an agreement. Who waits for a decision on an application, or for their team, is asked to accept what is in force then. */
async function change(tx: Tx, gameId: string | null, make: () => Promise<store.AgreementRow>) {
  const before = await store.latest(tx, gameId);
  const row = await make();
  if (row.id === before?.id) return row;
  await askAgain(tx, gameId);
  await askToAccept(tx, gameId);
  return row;
}

async function shown(q: Query, gameId: string | null) {
  const current = await store.inForce(q, gameId);
  return {
    agreement: current ? agreementView(current) : null,
    versions: (await store.versions(q, gameId)).map(agreementView),
  };
}

/** The agreement in force for a playtest, or a version that the playtester accepted, by its name or number. */
async function toAccept(q: ReadTx, playtestId: string, playtesterId: string, version?: string) {
  const { playtest } = await knownOffer(q, playtestId, playtesterId);
  const rows = await store.acceptedBy(q, playtest.game_id, playtesterId);
  const wanted = version === undefined ? await store.inForce(q, playtest.game_id) : rows.find((row) => isNamed(row, version));
  if (version !== undefined && !wanted) throw neverAccepted(version, rows);
  const consent = rows.find(({ id }) => id === wanted?.id);
  const accepted = rows.map((row) => ({ version: versionOf(row), gameId: row.game_id, acceptedAt: iso(row.accepted_at) }));
  const agreement = wanted ? { ...agreementView(wanted), acceptedAt: isoOrNull(consent?.accepted_at ?? null) } : null;
  return { playtestId, agreement, accepted };
}

const isNamed = (row: store.AgreementRow, version: string) => versionOf(row) === version || String(row.number) === version;

function neverAccepted(version: string, rows: readonly store.AgreementRow[]) {
  const others = rows.length === 0 ? "none" : rows.map(versionOf).join(", ");
  return new ApiError(
    "NOT_FOUND",
    `You did not accept the version ${version} of an agreement of this playtest. You accepted: ${others}.`,
  );
}

/** Agreements that playtesters accept before they claim a slot. */
export const agreements = {
  getGameAgreement: (call) => call.read(async (q) => shown(q, (await ownGame(q, call.params.id, call.principal.userId)).id)),

  putGameAgreement: (call) =>
    call.commit(async (tx) => {
      const { id } = await ownGame(tx, call.params.id, call.principal.userId);
      await change(tx, id, () => publish(tx, id, call.body.text));
      return shown(tx, id);
    }),

  deleteGameAgreement: (call) =>
    call.commit(async (tx) => {
      const { id } = await ownGame(tx, call.params.id, call.principal.userId);
      await change(tx, id, () => endAgreement(tx, id));
      return shown(tx, id);
    }),

  async listGameConsents(call) {
    const page = call.page();
    const rows = await call.read(async (q) => {
      const { id } = await ownGame(q, call.params.id, call.principal.userId);
      return store.listForGame(q, id, page);
    });
    return call.listed(page, rows, (items) => ({ consents: items.map(acceptanceView) }));
  },

  getPlaytestAgreement: (call) => call.read((q) => toAccept(q, call.params.id, call.principal.userId, call.query.version)),

  acceptAgreement: (call) =>
    call.commit(async (tx) => {
      const playtesterId = call.principal.userId;
      const gameId = (await knownOffer(tx, call.params.id, playtesterId)).playtest.game_id;
      const current = await store.inForce(tx, gameId);
      if (!current) throw conflict("This playtest has no agreement to accept. Nothing was changed.");
      await requireAcceptance(tx, current, playtesterId, { version: call.body.version, address: call.client.address });
      return toAccept(tx, call.params.id, playtesterId);
    }),

  getServerAgreement: (call) => call.read((q) => shown(q, null)),

  putServerAgreement: (call) =>
    call.commit(async (tx, trail) => {
      trail.created((await change(tx, null, () => publish(tx, null, call.body.text))).id);
      return shown(tx, null);
    }),

  deleteServerAgreement: (call) =>
    call.commit(async (tx, trail) => {
      trail.created((await change(tx, null, () => endAgreement(tx, null))).id);
      return shown(tx, null);
    }),

  async listConsents(call) {
    const page = call.page();
    const rows = await call.read((q) => store.list(q, call.query.game, page));
    return call.listed(page, rows, (items) => ({
      consents: items.map((row) => ({
        ...acceptanceView(row),
        gameName: row.game_name,
        email: row.email,
        address: row.address,
      })),
    }));
  },
} satisfies Partial<Handlers>;
