import type { Value } from "./port.ts";

/** The position after which the next page starts: the creation time (ms) and id of the last item. */
export interface Position {
  at: number;
  id: string;
}

/** A page to fetch. The store returns one row more than `limit`, which shows whether there is a next page. */
export interface Page {
  limit: number;
  after: Position | undefined;
}

/** The condition, order and limit of a page, to append to a WHERE clause. Newest first, unless `order` is "oldest". */
export function keyset(page: Page, table: string, order: "newest" | "oldest" = "newest"): { sql: string; values: Value[] } {
  const [at, id] = [`${table}.created_at`, `${table}.id`];
  const [sign, direction] = order === "newest" ? ["<", "DESC"] : [">", "ASC"];
  const tail = `ORDER BY ${at} ${direction}, ${id} ${direction} LIMIT CAST(? AS INTEGER)`;
  if (!page.after) return { sql: tail, values: [page.limit + 1] };
  // The first condition uses the index to find the end of the last page. Without it, each page would read all earlier ones.
  const sql = `AND ${at} ${sign}= ? AND (${at} ${sign} ? OR ${id} ${sign} ?) ${tail}`;
  return { sql, values: [page.after.at, page.after.at, page.after.id, page.limit + 1] };
}
