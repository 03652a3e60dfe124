import { exampleData } from "../../server/sandbox/examples.ts";
import type { EventKind } from "../../src/contract/events/kinds.ts";
import type { EventData } from "../../src/contract/events/payloads.ts";

const id = "01900000-0000-7000-8000-000000000001";

/** Data as an event of this kind has it, the same in every run; `fields` replace some of it. */
export const eventData = (kind: EventKind, fields: Record<string, unknown> = {}): EventData =>
  ({ ...exampleData(kind, { now: "2026-01-01T00:00:00.000Z", newId: () => id }), ...fields }) as EventData;
