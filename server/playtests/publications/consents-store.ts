import type { Query } from "../../database/port.ts";
import { sendPut } from "../../database/rows.ts";
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

/** Of a slot `s` whose playtester is `u`: the consent `k` for its video. */
export const joinConsent =
  "LEFT JOIN publication_consents k ON k.playtest_id = s.playtest_id AND k.playtester_id = s.playtester_id";

/** The name that is published with the video, as far as `joinConsent` was joined; null for none. */
export const publishedNameSql = "CASE WHEN k.version IS NULL THEN u.display_name ELSE k.name END";
