import type { ReadTx } from "../../app/tx.ts";
import { notFound } from "../../lib/api-error.ts";
import * as applications from "../applications/store.ts";
import * as playtests from "../store.ts";
import { readerOf } from "../teams/requirements.ts";
import * as slots from "./store.ts";

/**
 * What a playtester has of a playtest already: their newest slot, their own or that of a team in which they play or are asked to play. One
 * that they lost through no fault of their own does not keep them from another, so it is not their slot, but they know the playtest by it.
 */
async function partIn(q: ReadTx, playtestId: string, playtesterId: string) {
  const [slot, application] = await Promise.all([
    slots.newestOf(q, playtestId, playtesterId, q.now),
    applications.ofPlaytester(q, playtestId, playtesterId),
  ]);
  const part = { slotId: slot?.excused === 0 ? slot.id : null, applicationId: application?.id ?? null };
  return { part, isKnown: slot !== undefined || application !== undefined };
}

/**
 * A playtest that is offered to this playtester, or that they took part in. 404 for any other: an unreleased game is shown to nobody
 * whom it is not offered to.
 */
export async function knownOffer(q: ReadTx, playtestId: string, playtesterId: string) {
  const [offered, { part, isKnown }] = await Promise.all([
    playtests.findOffer(q, readerOf(q, playtesterId, q.now), playtestId),
    partIn(q, playtestId, playtesterId),
  ]);
  const playtest = offered ?? (isKnown ? await playtests.find(q, playtestId) : undefined);
  if (!playtest) throw notFound();
  return { playtest, part };
}
