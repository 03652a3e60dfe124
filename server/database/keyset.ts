import type { Query, Value } from "./port.ts";

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

/** The condition, order and limit of a page of the rows of `table`, to append to a WHERE clause. Newest first, unless `order` is "oldest". */
function keyset(page: Page, table: string, order: "newest" | "oldest" = "newest"): { sql: string; values: Value[] } {
  const [at, id] = [`${table}.created_at`, `${table}.id`];
  const [sign, direction] = order === "newest" ? ["<", "DESC"] : [">", "ASC"];
  const tail = `ORDER BY ${at} ${direction}, ${id} ${direction} LIMIT CAST(? AS INTEGER)`;
  if (!page.after) return { sql: tail, values: [page.limit + 1] };
  // The first condition uses the index to find the end of the last page. Without it, each page would read all earlier ones.
  const sql = `AND ${at} ${sign}= ? AND (${at} ${sign} ? OR ${id} ${sign} ?) ${tail}`;
  return { sql, values: [page.after.at, page.after.at, page.after.id, page.limit + 1] };
}

/** Reads a page of rows: `all` takes a query that ends in its WHERE clause. `table` and `order` are those of `keyset`. */
export const paged = (q: Query, page: Page, table: string, order?: "newest" | "oldest") => ({
  all<Row>(select: string, ...values: Value[]): Promise<Row[]> {
    const within = keyset(page, table, order);
    return q.all<Row>(`${select} ${within.sql}`, ...values, ...within.values);
  },
});
