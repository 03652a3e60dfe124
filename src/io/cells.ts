import type {
  ApplicationStatus,
  DepositStatus,
  GameStatus,
  PaymentStatus,
  PayoutStatus,
  PlaytestStatus,
  SlotStatus,
  SubscriptionStatus,
  TranscriptionStatus,
} from "../contract/states/index.ts";
import { ago, bytes, oneLine, type Paint, shortId, usd } from "./text.ts";

/** How a value is shown: `id` is shortened in terminal tables, `status` colored, `ago` a time, `usd` cents, `minutes` a length. */
export type Format = "text" | "id" | "ago" | "usd" | "bytes" | "status" | "minutes";

/** One column of a table, or one line of a detail view. */
export interface Column {
  header: string;
  /** Dotted path of the value in an item, or a function that returns it. */
  value: string | ((item: Record<string, unknown>) => unknown);
  as?: Format;
  /** A shorter form of the value for tables on a terminal. */
  inTable?: (item: Record<string, unknown>) => unknown;
  /** Shown only in the detail view of one item. */
  detail?: boolean;
  /** About money though not an amount of it, such as playtest hours or a way to pay. */
  money?: boolean;
  /** In a table wider than the terminal: wrap the text, or drop the column. Default: cut the text. */
  overflow?: "wrap" | "drop";
}

export interface View {
  columns: readonly Column[];
  /** Message on standard error when a list is empty. */
  empty?: string;
  /** The last row of a table for people: totals, from what the reply has beside the items. */
  footer?: (data: Record<string, unknown>) => Record<string, unknown> | undefined;
}

export type TimeMode = "iso" | "local" | "relative";

export interface CellOptions {
  /** Called for each value, because a command may run for days. */
  now(): number;
  time: TimeMode;
  paint: Paint;
  shortIds: boolean;
}

/** The value at a dotted path. Undefined if absent. */
export function at(item: unknown, path: string): unknown {
  let value: unknown = item;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

export const columnValue = (column: Column, item: Record<string, unknown>) =>
  typeof column.value === "string" ? at(item, column.value) : column.value(item);

/** Every status of the contract that a column may show, and what a check or a switch comes to. */
type ShownStatus =
  | (SlotStatus | PlaytestStatus | ApplicationStatus | GameStatus | TranscriptionStatus)
  | (PaymentStatus | SubscriptionStatus | DepositStatus | PayoutStatus)
  | "success"
  | "true";

/** Green has ended well or goes well, red needs attention or is over, yellow waits. */
const statusColors = {
  accepted: "green",
  active: "green",
  approved: "green",
  completed: "green",
  open: "green",
  success: "green",
  true: "green",
  blocked: "red",
  cancelled: "red",
  disputed: "red",
  expired: "red",
  failed: "red",
  past_due: "red",
  rejected: "red",
  suspended: "red",
  incomplete: "yellow",
  pending: "yellow",
  pending_payment: "yellow",
  processing: "yellow",
  publishing: "yellow",
  reserved: "yellow",
  submitted: "yellow",
  auto_rejected: null,
  credited: null,
  refunded: null,
  suspense: null,
  withdrawn: null,
} as const satisfies Record<ShownStatus, Parameters<Paint>[0] | null>;

const isShown = (status: string): status is ShownStatus => Object.hasOwn(statusColors, status);

/** Another server may have states that this program does not know: they are shown without a color. */
function paintStatus(status: string, paint: Paint) {
  const color = isShown(status) ? statusColors[status] : null;
  return color === null ? status : paint(color, status);
}

export function time(iso: string, mode: TimeMode, now: number) {
  if (mode === "relative") return ago(iso, now);
  if (mode === "iso" || Number.isNaN(Date.parse(iso))) return oneLine(iso);
  return new Date(iso).toLocaleString();
}

/** A value as plain text, before any escaping. */
function plain(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A value as shown to a person: on one line, with control characters escaped. */
export function show(value: unknown, as: Format | undefined, options: CellOptions): string {
  const text = oneLine(plain(value));
  if (as === "id") return options.shortIds ? shortId(text) : text;
  if (as === "ago") return text && time(text, options.time, options.now());
  if (as === "status") return paintStatus(text, options.paint);
  if (typeof value !== "number") return text;
  if (as === "usd") return usd(value);
  if (as === "bytes") return bytes(value);
  return as === "minutes" ? `${value} min` : text;
}

const filters: Record<string, (value: unknown, now: number) => string> = {
  ago: (value, now) => (typeof value === "string" ? ago(value, now) : plain(value)),
  usd: (value) => (typeof value === "number" ? usd(value) : plain(value)),
  bytes: (value) => (typeof value === "number" ? bytes(value) : plain(value)),
  date: (value) => (typeof value === "string" ? value.slice(0, 10) : plain(value)),
};
export const filterNames = Object.keys(filters);

/** Names of unknown filters in a template. */
export const unknownFilters = (template: string) =>
  [...template.matchAll(/\{[\w.]+\|(\w*)\}/g)].map(([, name]) => name!).filter((name) => !Object.hasOwn(filters, name));

/** Replaces `{path}` and `{path|filter}` with values of an item, control characters escaped. */
export function fill(template: string, item: unknown, now: number) {
  const text = template.replace(/\{([\w.]+)(?:\|(\w+))?\}/g, (_, path: string, filter?: string) => {
    const value = at(item, path);
    return oneLine(filter ? filters[filter]!(value, now) : plain(value));
  });
  return text.replaceAll("\\t", "\t").replaceAll("\\n", "\n");
}
