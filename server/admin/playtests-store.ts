import { containing, contains } from "../database/containing.ts";
import type { Page } from "../database/keyset.ts";
import type { Query, Value } from "../database/port.ts";
import type { Tables } from "../database/schema/index.ts";
import { statusSql } from "../playtests/slots/store.ts";

export interface OperatedRow extends Readonly<Tables["playtests"]> {
  game_name: string;
  game_status: Tables["games"]["status"];
  owner_name: string;
  held_cents: number;
  held_minutes: number;
}

const listed = `SELECT p.*, g.name AS game_name, g.status AS game_status, u.display_name AS owner_name,
    COALESCE(-h.balance, 0) AS held_cents, COALESCE(-m.balance, 0) AS held_minutes
  FROM playtests p JOIN games g ON g.id = p.game_id JOIN users u ON u.id = p.owner_id
  LEFT JOIN ledger_accounts h ON h.id = 'liab:held:' || p.id LEFT JOIN ledger_accounts m ON m.id = 'min:held:' || p.id`;

/** The playtests of all owners, newest first: ids begin with the time (UUIDv7), so their index gives the order. `id` is that of a playtest, a game or an owner. */
export function list(q: Query, only: { id?: string | undefined; search?: string | undefined }, page: Page) {
  const conditions = ["1 = 1"];
  const filters: Value[] = [];
  if (only.id !== undefined) {
    conditions.push("(p.id = ? OR p.game_id = ? OR p.owner_id = ?)");
    filters.push(only.id, only.id, only.id);
  }
  if (only.search !== undefined) {
    conditions.push(`(${contains("g.name")} OR ${contains("u.display_name")})`);
    filters.push(...containing(only.search), ...containing(only.search));
  }
  if (page.after !== undefined) {
    conditions.push("p.id < ?");
    filters.push(page.after.id);
  }
  const sql = `${listed} WHERE ${conditions.join(" AND ")} ORDER BY p.id DESC LIMIT CAST(? AS INTEGER)`;
  return q.all<OperatedRow>(sql, ...filters, page.limit + 1);
}

export const find = (q: Query, id: string) => q.one<OperatedRow>(`${listed} WHERE p.id = ?`, id);

export type OperatedSlotRow = Pick<
  Tables["slots"],
  "id" | "status" | "playtester_id" | "deadline_at" | "submitted_at" | "created_at"
> & { display_name: string | null };

/** The slots of a playtest with their status at `now` (ms), oldest first. */
export const slotsOf = (q: Query, playtestId: string, now: number) =>
  q.all<OperatedSlotRow>(
    `SELECT s.id, ${statusSql} AS status, s.playtester_id, s.deadline_at, s.submitted_at, s.created_at, u.display_name
      FROM slots s JOIN playtests p ON p.id = s.playtest_id LEFT JOIN users u ON u.id = s.playtester_id
      WHERE s.playtest_id = ? ORDER BY s.created_at, s.id`,
    now,
    now,
    playtestId,
  );
