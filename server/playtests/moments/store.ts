import type { MomentKind } from "../../../src/contract/moments/kinds.ts";
import type { ClipStatus } from "../../../src/contract/states/index.ts";
import { containing, contains } from "../../database/containing.ts";
import { type Page, paged } from "../../database/keyset.ts";
import type { Query, Value } from "../../database/port.ts";
import { countRows, deleteWhere, insertRow, updateRow } from "../../database/rows.ts";
import type { Left, New, Tables } from "../../database/schema/index.ts";

export type MomentRow = Tables["moments"];

/** A moment with the name of its author, and its still image if it has one. */
export interface ShownMomentRow extends MomentRow, Left<Pick<Tables["stills"], "limited_by" | "thumbnail_size">> {
  author_name: string;
  still_id: string | null;
  still_status: ClipStatus | null;
}

/** Which moments of a slot, playtest or game to list. */
export interface Filter {
  kind?: MomentKind | undefined;
  severity?: number | undefined;
  tag?: string | undefined;
  build?: string | undefined;
  text?: string | undefined;
}

const shown = `SELECT m.*, u.display_name AS author_name, i.id AS still_id, i.status AS still_status, i.limited_by, i.thumbnail_size FROM moments m
  JOIN users u ON u.id = m.author_id LEFT JOIN stills i ON i.moment_id = m.id`;

export const insert = (tx: Query, row: New<"moments">) => insertRow(tx, "moments", row);
export const update = (tx: Query, id: string, changes: Partial<MomentRow>) => updateRow(tx, "moments", id, changes);
export const remove = (tx: Query, id: string) => deleteWhere(tx, "moments", { id });

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<ShownMomentRow>(`${shown} WHERE m.id = ? AND m.owner_id = ?`, id, ownerId);

export const countOf = (q: Query, slotId: string) => countRows(q, "moments", { slot_id: slotId });

function conditions({ kind, severity, tag, build, text }: Filter): { sql: string; values: Value[] } {
  const given: [sql: string, ...values: Value[]][] = [];
  if (kind !== undefined) given.push(["m.kind = ?", kind]);
  if (severity !== undefined) given.push(["m.severity = ?", severity]);
  // Tags contain no quotation mark.
  if (tag !== undefined) given.push([contains("m.tags"), ...containing(`"${tag}"`)]);
  if (build !== undefined) given.push(["m.build_id = ?", build]);
  if (text !== undefined) given.push([contains("m.body"), ...containing(text)]);
  return { sql: given.map(([sql]) => `AND ${sql}`).join(" "), values: given.flatMap(([, ...values]) => values) };
}

/** The newest first. */
export function list(q: Query, of: "playtest" | "game", id: string, filter: Filter, page: Page) {
  const where = conditions(filter);
  return paged(q, page, "m").all<ShownMomentRow>(`${shown} WHERE m.${of}_id = ? ${where.sql}`, id, ...where.values);
}

/** In the order of the video: the position of a page is `at_ms`. */
export function listOfSlot(q: Query, slotId: string, filter: Filter, { limit, after }: Page) {
  const where = conditions(filter);
  const from = after ? "AND m.at_ms >= ? AND (m.at_ms > ? OR m.id > ?)" : "";
  return q.all<ShownMomentRow>(
    `${shown} WHERE m.slot_id = ? ${where.sql} ${from} ORDER BY m.at_ms, m.id LIMIT CAST(? AS INTEGER)`,
    slotId,
    ...where.values,
    ...(after ? [after.at, after.at, after.id] : []),
    limit + 1,
  );
}
