/**
 * Indexes that every order or claim wrote, and no query needs: nothing is looked up by a payment's reference, the unnumbered events of an
 * account are those without a number in the index of their numbers, and of the slots of a playtest only the open ones are looked for.
 */
export const fewerIndexes = {
  name: "027-fewer-indexes",
  statements: [
    "DROP INDEX payments_by_external",
    "DROP INDEX payments_by_subscription",
    "CREATE INDEX payments_by_subscription ON payments (subscription_id, created_at, id) WHERE subscription_id IS NOT NULL",
    "DROP INDEX slots_by_playtest_status",
    "CREATE INDEX slots_open ON slots (playtest_id, created_at, id) WHERE status = 'open'",
    "DROP INDEX events_unnumbered",
  ],
};
