/** Which build the playtester of a slot has, where neither the claim nor the fixed time says it. */
export const slotBuilds = {
  name: "073-slot-builds",
  statements: [
    "ALTER TABLE slots ADD COLUMN build_at {int}",
    // Whoever got a slot back had the newest build, and goes on with it.
    `UPDATE slots SET build_at = (SELECT MAX(r.resolved_at) FROM blocked_reports r WHERE r.slot_id = slots.id AND r.outcome = 'unblocked')
      WHERE EXISTS (SELECT 1 FROM blocked_reports r
        WHERE r.slot_id = slots.id AND r.outcome = 'unblocked' AND r.resolved_at > COALESCE(slots.scheduled_at, 0))`,
  ],
};
