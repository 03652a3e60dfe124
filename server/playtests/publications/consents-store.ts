import type { Query } from "../../database/port.ts";
import { findRow, sendPut } from "../../database/rows.ts";
import type { Tables } from "../../database/schema/index.ts";

/** What a playtester consented to when they took part in a public playtest. */
export type PublicationConsentRow = Tables["publication_consents"];

/** Whoever takes part again, after a slot that does not count against them, consents anew. */
export const put = (tx: Query, row: PublicationConsentRow) =>
  sendPut(tx, "publication_consents", row, "playtest_id", "playtester_id");

/** The consent for the video of a slot. Undefined for a slot that was claimed before consents were recorded. */
export const ofSlot = (q: Query, slotId: string) =>
  q.one<PublicationConsentRow>(
    `SELECT k.* FROM publication_consents k JOIN slots s ON s.playtest_id = k.playtest_id AND s.playtester_id = k.playtester_id
      WHERE s.id = ?`,
    slotId,
  );

/** SQL for whether consent `w` is of somebody who plays slot `s`, in a team too. */
const isOfPlayer = `(w.playtester_id = s.playtester_id
    OR EXISTS (SELECT 1 FROM team_members m JOIN teams t ON t.id = m.team_id
      WHERE m.slot_id = s.id AND m.user_id = w.playtester_id AND m.status = 'confirmed' AND t.status = 'complete'))`;

/** SQL for the consents `w` to the video of slot `s` that one of its players has withdrawn. `from` is what is read of them. */
const withdrawn = (from: string) => `SELECT ${from} FROM publication_consents w
  WHERE w.playtest_id = s.playtest_id AND w.withdrawn_at IS NOT NULL AND ${isOfPlayer}`;

/** SQL for when a player of slot `s` withdrew the consent to its video (ms); null when nobody did. */
export const withdrawnAtSql = `(${withdrawn("MIN(w.withdrawn_at)")})`;

/** The consent to the video of a slot that one of its players withdrew. Undefined when nobody did. */
export const withdrawnOf = (q: Query, slotId: string) =>
  q.one<PublicationConsentRow>(
    `SELECT w.* FROM slots s JOIN publication_consents w ON w.playtest_id = s.playtest_id
      WHERE s.id = ? AND w.withdrawn_at IS NOT NULL AND w.withdrawn_at = ${withdrawnAtSql} ORDER BY w.playtester_id LIMIT 1`,
    slotId,
  );

/**
 * Where all players of a slot consented to a publication. `own` where they did not consent to the same, as after a change of the
 * configuration, and before consents were recorded: offers said then that it is on this server's own pages.
 */
export async function agreedAdapter(q: Query, slotId: string): Promise<PublicationConsentRow["adapter"]> {
  const [first, ...others] = await q.all<Pick<PublicationConsentRow, "adapter">>(
    `SELECT DISTINCT w.adapter FROM slots s JOIN publication_consents w ON w.playtest_id = s.playtest_id
      WHERE s.id = ? AND ${isOfPlayer} ORDER BY w.adapter`,
    slotId,
  );
  return others.length === 0 ? (first?.adapter ?? "own") : "own";
}

/** What a playtester consented to for the videos of a playtest. */
export const find = (q: Query, playtestId: string, playtesterId: string) =>
  findRow(q, "publication_consents", { playtest_id: playtestId, playtester_id: playtesterId });

/** Of a slot `s` whose playtester is `u`: the consent `k` for its video. */
export const joinConsent =
  "LEFT JOIN publication_consents k ON k.playtest_id = s.playtest_id AND k.playtester_id = s.playtester_id";

/** The name that is published with the video, as far as `joinConsent` was joined; null for none. */
export const publishedNameSql = "CASE WHEN k.version IS NULL THEN u.display_name ELSE k.name END";
