import { consentText, consentVersion } from "../../../src/contract/publications/consent.ts";
import type { UserRow } from "../../accounts/users-store.ts";
import type { ReadTx, Tx } from "../../app/tx.ts";
import { iso, isoOrNull } from "../../lib/time.ts";
import type { SlotRow } from "../slots/store.ts";
import type { PlaytestRow } from "../store.ts";
import * as store from "./consents-store.ts";

/** The consent of a playtester to the publication of their video: a claim or an application is the consent to what its offer says. */
type Person = Pick<UserRow, "id" | "display_name" | "published_name">;

const nameOf = ({ display_name, published_name }: Person) => (published_name === "hidden" ? null : display_name);

/** What an offer of a playtest asks this playtester to consent to. Null where nothing is published. */
export function asked({ config }: Pick<ReadTx, "config">, { visibility }: Pick<PlaytestRow, "visibility">, person: Person) {
  if (visibility !== "public") return null;
  const consented = { adapter: config.publishing.to, name: nameOf(person) };
  return { version: consentVersion, text: consentText(consentVersion, consented) };
}

/** Records what the playtester consented to by taking part. */
export function record(tx: Tx, playtest: Pick<PlaytestRow, "id" | "visibility">, person: Person): void {
  if (playtest.visibility !== "public") return;
  store.put(tx, {
    playtest_id: playtest.id,
    playtester_id: person.id,
    version: consentVersion,
    adapter: tx.config.publishing.to,
    name: nameOf(person),
    accepted_at: tx.now,
    withdrawn_at: null,
    withdrawn_reason: null,
  });
}

/**
 * Records that a player of a slot withdrew the consent. False when they had. Whoever claimed before consents were recorded consented to the
 * server's own page.
 */
export async function withdraw(
  tx: Tx,
  { playtest_id, reserved_at }: Pick<SlotRow, "playtest_id" | "reserved_at">,
  person: Person,
  reason: string | null,
): Promise<boolean> {
  const given = await store.find(tx, playtest_id, person.id);
  if (given && given.withdrawn_at !== null) return false;
  const consent = given ?? {
    playtest_id,
    playtester_id: person.id,
    version: consentVersion,
    adapter: "own" as const,
    name: person.display_name,
    accepted_at: reserved_at ?? tx.now,
  };
  store.put(tx, { ...consent, withdrawn_at: tx.now, withdrawn_reason: reason });
  return true;
}

/** A consent as the owner of the slot sees it. `withdrawnAt` is when one of its players withdrew it (ms). */
export const consentView = (
  { version, adapter, name, accepted_at }: store.PublicationConsentRow,
  withdrawnAt: number | null,
) => ({
  version,
  text: consentText(version, { adapter, name }),
  acceptedAt: iso(accepted_at),
  withdrawnAt: isoOrNull(withdrawnAt),
});
