import { enumerated, eventKinds } from "./002-enumerations.ts";

export const kinds = [
  ...eventKinds,
  "slot.blocked",
  "slot.resolved",
  "playtest.keys_low",
  "slot.due",
  "credit.low",
  "approval.pending",
  "approval.decided",
];
export const withKinds = [
  ["events", "kind"],
  ["notifications", "type"],
  ["webhook_deliveries", "event"],
] as const;

/** Which emails a person wants, the emails that a summary collects, and the formats of webhooks. */
export const notificationSettings = {
  name: "010-notifications",
  statements: [
    ...withKinds.map(([table, column]) => `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_check`),
    ...withKinds.flatMap(([table, column]) => enumerated(table, { [column]: kinds })),
    `CREATE TABLE notification_settings (
      user_id TEXT NOT NULL REFERENCES users (id), kind TEXT NOT NULL, mail TEXT NOT NULL, updated_at {int} NOT NULL, PRIMARY KEY (user_id, kind)) {strict}`,
    ...enumerated("notification_settings", { kind: kinds, mail: ["on", "off", "digest"] }),
    // Null for emails about the security of an account, which nobody can turn off.
    "ALTER TABLE mails ADD COLUMN user_id TEXT",
    "ALTER TABLE mails ADD COLUMN kind TEXT",
    "ALTER TABLE mails ADD COLUMN unsubscribe_url TEXT",
    // The email as an entry of a summary, and when the summary is due. Counted against the limit of the person from admitted_at on.
    "ALTER TABLE mails ADD COLUMN entry TEXT",
    "ALTER TABLE mails ADD COLUMN collect_at {int}",
    "ALTER TABLE mails ADD COLUMN admitted_at {int}",
    "CREATE INDEX mails_admitted ON mails (user_id, admitted_at) WHERE admitted_at IS NOT NULL",
    "CREATE INDEX mails_to_collect ON mails (user_id, collect_at) WHERE collect_at IS NOT NULL AND sent_at IS NULL",
    "ALTER TABLE messages ADD COLUMN mailed_at {int}",
    "ALTER TABLE webhooks ADD COLUMN format TEXT NOT NULL DEFAULT 'standard'",
    ...enumerated("webhooks", { format: ["standard", "slack", "discord", "teams"] }),
  ],
};
