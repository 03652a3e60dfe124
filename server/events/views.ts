import { iso } from "../lib/time.ts";
import type { Event } from "./store.ts";

export const eventView = (event: Event) => ({
  id: event.id,
  event: event.kind,
  timestamp: iso(event.created_at),
  data: JSON.parse(event.data) as Record<string, unknown>,
});
