import { col, detail, prose, type View } from "../../cli/define.ts";

export const webhookView: View = {
  columns: [
    col("id", "id", "id"),
    col("url", "url"),
    col("events", "events"),
    detail("format", "format"),
    col("active", "isActive", "status"),
    col("failures", "failureCount"),
    col("last failure", "lastFailureAt", "ago"),
    detail("created", "createdAt", "ago"),
  ],
  empty: "No webhooks. Create one with `playtest webhooks create`, or receive events with `playtest webhooks listen`.",
};

export const deliveryView: View = {
  columns: [
    col("id", "id", "id"),
    col("event", "event"),
    col("response", "statusCode"),
    col("attempts", "attemptCount"),
    col("delivered", "deliveredAt", "ago"),
    col("next retry", "nextRetryAt", "ago"),
    col("created", "createdAt", "ago"),
  ],
  empty: "No deliveries yet.",
};

export const checkView: View = {
  columns: [col("check", "name"), col("result", ({ ok }) => (ok ? "ok" : "failed"), "status"), prose("detail", "detail")],
};

/** Each kind of event has data of its own: a cell has its names and values. */
export const dataText = (data: unknown) =>
  Object.entries((data ?? {}) as object)
    .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join("; ");
