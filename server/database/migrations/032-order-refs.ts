/** The owner's own name for an order. An order that was cancelled, and so refunded or never paid, leaves it free for another one. */
export const orderRefs = {
  name: "032-order-refs",
  statements: [
    "ALTER TABLE playtests ADD COLUMN ref TEXT",
    "CREATE UNIQUE INDEX playtests_by_ref ON playtests (owner_id, ref) WHERE ref IS NOT NULL AND status <> 'cancelled'",
  ],
};
