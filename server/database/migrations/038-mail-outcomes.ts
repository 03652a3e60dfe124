/**
 * What became of an email: until when its link works, the reason for the last refusal while it waits, and which email an invitation sent.
 * Whoever was invited before has no email there.
 */
export const mailOutcomes = {
  name: "038-mail-outcomes",
  statements: [
    "ALTER TABLE mails ADD COLUMN expires_at {int}",
    "ALTER TABLE mails ADD COLUMN tries {int} NOT NULL DEFAULT 0",
    "CREATE INDEX mails_undelivered ON mails (created_at) WHERE error IS NOT NULL AND sent_at IS NULL",
    "ALTER TABLE invitations ADD COLUMN mail_id TEXT",
  ],
};
