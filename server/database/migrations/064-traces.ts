/** Of which trace the work is a part that caused a job or a delivery: the header `traceparent`. Null for what no trace caused. */
export const traces = {
  name: "064-traces",
  statements: ["ALTER TABLE jobs ADD COLUMN trace TEXT", "ALTER TABLE webhook_deliveries ADD COLUMN trace TEXT"],
};
