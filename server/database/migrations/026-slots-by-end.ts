/** What an owner's playtests cost in a time is read by when their slots ended. */
export const slotsByEnd = {
  name: "026-slots-by-end",
  statements: ["CREATE INDEX slots_by_owner_end ON slots (owner_id, ended_at) WHERE ended_at IS NOT NULL"],
};
