/** Which build the playtester of a slot has, where neither the claim nor the fixed time says it. */
export const slotBuilds = {
  name: "073-slot-builds",
  statements: ["ALTER TABLE slots ADD COLUMN build_at {int}"],
};
