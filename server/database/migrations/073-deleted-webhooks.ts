const deleted = "webhook_id IN (SELECT id FROM webhooks WHERE deleted_at IS NOT NULL)";

/** Removes what earlier versions kept of deleted webhooks: their addresses, which may be secrets, and their deliveries. */
export const deletedWebhooks = {
  name: "073-deleted-webhooks",
  statements: [
    `DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM webhook_deliveries WHERE ${deleted})`,
    `DELETE FROM webhook_deliveries WHERE ${deleted}`,
    "DELETE FROM webhooks WHERE deleted_at IS NOT NULL",
  ],
};
