import { col, detail, type ItemOf, prose, type Row, viewOf } from "../../cli/define.ts";

export const webhookView = viewOf<ItemOf<"listWebhooks">>(
  [
    "id",
    "url",
    "events",
    detail("format"),
    col("active:isActive", "status"),
    "failures:failureCount",
    "last failure:lastFailureAt",
    detail("created:createdAt"),
  ],
  { empty: "No webhooks. Create one with `playtest webhooks create`, or receive events with `playtest webhooks listen`." },
);

export const deliveryView = viewOf<ItemOf<"listDeliveries">>(
  [
    "id",
    "event",
    "response:statusCode",
    "attempts:attemptCount",
    "delivered:deliveredAt",
    "next retry:nextRetryAt",
    "created:createdAt",
    prose("error:lastError"),
  ],
  { empty: "No deliveries yet." },
);

export const checkView = viewOf<Row<"name" | "ok" | "detail">>([
  "check:name",
  col("result", ({ ok }) => (ok ? "ok" : "failed"), "status"),
  prose("detail"),
]);

/** Each kind of event has data of its own: a cell has its names and values. */
export const dataText = (data: unknown) =>
  Object.entries((data ?? {}) as object)
    .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join("; ");
