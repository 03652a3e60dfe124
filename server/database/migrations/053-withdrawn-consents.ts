import { enumerated } from "./002-enumerations.ts";
import { withKinds } from "./039-publications.ts";
import { kinds as earlier } from "./047-friends.ts";

export const kinds = [...earlier, "slot.consent_withdrawn"];

/** A playtester can withdraw the consent to the publication of their video, also before it is accepted. */
export const withdrawnConsents = {
  name: "053-withdrawn-consents",
  statements: [
    "ALTER TABLE publication_consents ADD COLUMN withdrawn_at {int}",
    "ALTER TABLE publication_consents ADD COLUMN withdrawn_reason TEXT",
    "CREATE INDEX publication_consents_withdrawn ON publication_consents (playtest_id) WHERE withdrawn_at IS NOT NULL",
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
  ],
};
