import type { MomentKind } from "../../../src/contract/moments/kinds.ts";
import type { ClipStatus, CutLimit } from "../../../src/contract/states/index.ts";
import { keyset, type Page } from "../../database/keyset.ts";
import type { Query, Value } from "../../database/port.ts";
import { insertRow, updateRow } from "../../database/rows.ts";

export interface MomentRow {
  id: string;
  slot_id: string;
  playtest_id: string;
  game_id: string;
  owner_id: string;
  author_id: string;
  build_id: string | null;
  /** Position in the video (ms), and the end of the moment if it has one. */
  at_ms: number;
  end_ms: number | null;
  kind: MomentKind;
  severity: number | null;
  body: string;
  /** A JSON array. */
  tags: string;
  created_at: number;
  updated_at: number;
}

/** A moment with the name of its author, and its still image if it has one. */
export interface ShownMomentRow extends MomentRow {
  author_name: string;
  still_id: string | null;
  still_status: ClipStatus | null;
  limited_by: CutLimit | null;
  thumbnail_size: number | null;
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

export const insert = (tx: Query, row: MomentRow) => insertRow(tx, "moments", row);
export const update = (tx: Query, id: string, changes: Partial<MomentRow>) => updateRow(tx, "moments", id, changes);
export const remove = (tx: Query, id: string) => tx.run("DELETE FROM moments WHERE id = ?", id);

export const findForOwner = (q: Query, id: string, ownerId: string) =>
  q.one<ShownMomentRow>(`${shown} WHERE m.id = ? AND m.owner_id = ?`, id, ownerId);

export const countOf = async (q: Query, slotId: string) =>
  (await q.one<{ n: number }>("SELECT COUNT(*) AS n FROM moments WHERE slot_id = ?", slotId))!.n;

/** The text with the wildcards of LIKE escaped by `!`, anywhere in a value. */
const anywhere = (text: string) => `%${text.replace(/[!%_]/g, "!$&")}%`;

function conditions({ kind, severity, tag, build, text }: Filter): { sql: string; values: Value[] } {
  const parts: [sql: string, value: Value | undefined][] = [
    ["m.kind = ?", kind],
    ["m.severity = ?", severity],
    // Tags contain no quotation mark.
    ["m.tags LIKE ? ESCAPE '!'", tag === undefined ? undefined : anywhere(`"${tag}"`)],
    ["m.build_id = ?", build],
    ["LOWER(m.body) LIKE ? ESCAPE '!'", text === undefined ? undefined : anywhere(text.toLowerCase())],
  ];
  const given = parts.filter((part): part is [string, Value] => part[1] !== undefined);
  return { sql: given.map(([sql]) => `AND ${sql}`).join(" "), values: given.map(([, value]) => value) };
}

/** The newest first. */
export function list(q: Query, of: "playtest" | "game", id: string, filter: Filter, page: Page) {
  const where = conditions(filter);
  const { sql, values } = keyset(page, "m");
  return q.all<ShownMomentRow>(`${shown} WHERE m.${of}_id = ? ${where.sql} ${sql}`, id, ...where.values, ...values);
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

/** The newest build of a game that was there at a time (ms). */
export const buildAt = (q: Query, gameId: string, at: number) =>
  q.one<{ id: string; version: string | null; created_at: number }>(
    "SELECT id, version, created_at FROM builds WHERE game_id = ? AND created_at <= ? ORDER BY created_at DESC, id DESC LIMIT 1",
    gameId,
    at,
  );
