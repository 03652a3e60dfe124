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

export interface NotificationRow {
  id: string;
  user_id: string;
  event_id: string | null;
  type: string;
  title: string;
  body: string;
  read_at: number | null;
  created_at: number;
}

export const insert = (tx: Query, event: EventRow) => insertRow(tx, "events", event);
export const insertNotification = (tx: Query, row: NotificationRow) => insertRow(tx, "notifications", row);
