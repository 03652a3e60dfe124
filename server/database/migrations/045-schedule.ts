import { enumerated } from "./002-enumerations.ts";
import { withKinds } from "./039-publications.ts";
import { kinds as earlier } from "./043-findings.ts";

export const kinds = [...earlier, "slot.starting", "slot.move_proposed", "slot.move_answered", "slot.cancelled"];

/**
 * Playtests at a fixed time. Their slots close at it, as those of manual selection do when its window ends, so that both have one column.
 * A slot has the time that its playtester agreed to, and the one that the owner proposes instead.
 */
export const schedule = {
  name: "045-schedule",
  statements: [
    // Not renamed: a step that may run twice cannot be.
    "ALTER TABLE playtests ADD COLUMN closes_at {int}",
    "UPDATE playtests SET closes_at = applications_expire_at",
    "ALTER TABLE playtests DROP COLUMN applications_expire_at",
    "ALTER TABLE playtests ADD COLUMN scheduled_at {int}",
    "ALTER TABLE slots ADD COLUMN scheduled_at {int}",
    "ALTER TABLE slots ADD COLUMN proposed_at {int}",
    "ALTER TABLE slots ADD COLUMN accept_by {int}",
    // 1 if its playtester had it and lost it for a reason of the owner's: it does not count against them.
    "ALTER TABLE slots ADD COLUMN excused {int} NOT NULL DEFAULT 0",
    "ALTER TABLE users ADD COLUMN time_zone TEXT",
    // A calendar file that is attached.
    "ALTER TABLE mails ADD COLUMN calendar TEXT",
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
  ],
};
