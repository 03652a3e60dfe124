import type { Tx } from "../../app/tx.ts";
import type { Query } from "../../database/port.ts";
import { ApiError, conflict } from "../../lib/api-error.ts";
import { sha256 } from "../../lib/secrets.ts";
import * as store from "./store.ts";

/** What a request says about an agreement: the version that it accepts, and where it comes from. */
export interface GivenAcceptance {
  version: string | undefined;
  address: string | null;
}

/** Such as `2-9f2c51ab`: the number is for people, the hash tells texts of the same number apart. */
export const versionOf = ({ number, sha256: hash }: Pick<store.AgreementRow, "number" | "sha256">) =>
  `${number}-${hash.slice(0, 8)}`;

/** Publishes the text of an agreement. A text that is in force already is not published again. Returns the row in force. */
export async function publish(tx: Tx, gameId: string | null, text: string): Promise<store.AgreementRow> {
  const before = await store.latest(tx, gameId);
  if (before?.text === text) return before;
  return add(tx, gameId, before, text);
}

/** Ends the agreement. 409 when there is none. */
export async function endAgreement(tx: Tx, gameId: string | null): Promise<store.AgreementRow> {
  const before = await store.latest(tx, gameId);
  if (!before || before.text === null)
    throw conflict(`This ${gameId === null ? "server" : "game"} has no agreement of its own. Nothing was changed.`);
  return add(tx, gameId, before, null);
}

const add = (tx: Tx, gameId: string | null, before: store.AgreementRow | undefined, text: string | null) =>
  store.insertAgreement(tx, {
    id: tx.newId(),
    game_id: gameId,
    number: (before?.number ?? 0) + 1,
    text,
    sha256: sha256(text ?? ""),
    created_at: tx.now,
  });

/** The version that the playtester must still accept for this game. Undefined if there is none. */
export async function agreementToAccept(q: Query, gameId: string, playtesterId: string): Promise<string | undefined> {
  const current = await store.inForce(q, gameId);
  return current && !(await store.findAcceptance(q, current.id, playtesterId)) ? versionOf(current) : undefined;
}

/**
 * Requires that the playtester accepted this agreement, the one in force if there is one, or accepts it with this request. 409 otherwise;
 * its details name the version to accept.
 */
export async function requireAcceptance(
  tx: Tx,
  current: store.PublishedRow | undefined,
  playtesterId: string,
  { version, address }: GivenAcceptance,
): Promise<void> {
  if (!current) return;
  if (version === undefined && (await store.findAcceptance(tx, current.id, playtesterId))) return;
  const needed = versionOf(current);
  if (version !== needed) throw mustAccept(needed, version);
  await store.insertAcceptance(tx, {
    id: tx.newId(),
    agreement_id: current.id,
    user_id: playtesterId,
    address,
    created_at: tx.now,
  });
}

const mustAccept = (needed: string, given: string | undefined) => {
  const message =
    given === undefined
      ? `This playtest has an agreement that you must accept first: version ${needed}. Nothing was changed.`
      : `The agreement of this playtest is version ${needed}, not ${given}. Nothing was changed. Read and accept the current version.`;
  return new ApiError("CONFLICT", message, { details: [{ field: "acceptConsent", message: needed }] });
};
