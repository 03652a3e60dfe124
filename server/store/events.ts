import type { EventKind } from "../../src/contract/events.ts";
import type { Query } from "./db.ts";
import { insertRow } from "./rows.ts";

export interface EventRow {
  id: string;
  account_id: string;
  kind: EventKind;
  data: string;
  created_at: number;
}

export const insert = (tx: Query, event: EventRow) => insertRow(tx, "events", event);
