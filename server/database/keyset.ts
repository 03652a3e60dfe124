import type { Value } from "./port.ts";

/** Where a keyset-paged list goes on: the last item's creation time (ms) and id. */
export interface Position {
  at: number;
  id: string;
}

/** One page to fetch: ask the store for one row more than `limit`, to know whether there is more. */
export interface Page {
  limit: number;
  after: Position | undefined;
}

/** The condition, order and limit of one page, to put behind a WHERE clause; newest first unless `oldest`. */
export function keyset(page: Page, table: string, order: "newest" | "oldest" = "newest"): { sql: string; values: Value[] } {
  const [at, id] = [`${table}.created_at`, `${table}.id`];
  const [sign, direction] = order === "newest" ? ["<", "DESC"] : [">", "ASC"];
  const tail = `ORDER BY ${at} ${direction}, ${id} ${direction} LIMIT CAST(? AS INTEGER)`;
  if (!page.after) return { sql: tail, values: [page.limit + 1] };
  // The first half leads by an index to where the last page ended; without it each page would read all those before it.
  const sql = `AND ${at} ${sign}= ? AND (${at} ${sign} ? OR ${id} ${sign} ?) ${tail}`;
  return { sql, values: [page.after.at, page.after.at, page.after.id, page.limit + 1] };
}
