import type { Operation } from "../contract/index.ts";
import type { ClientCore, Data, Input, Meta } from "./client.ts";
import { NetworkError } from "./transport.ts";

/** How many items of a list to fetch, and from where. */
export interface Range {
  /** Total number of items; undefined: one page of the server's default size. */
  limit?: number | undefined;
  /** Fetch every page. */
  all?: boolean | undefined;
  cursor?: string | undefined;
}

export interface Page<T, D> {
  /** Name of the array inside `data`. */
  key: string;
  items: T[];
  data: D;
  meta: Meta;
}

const maxPageSize = 100;

export type Items<D> = { [K in keyof D]: D[K] extends readonly (infer T)[] ? T : never }[keyof D];

/** The array inside the data of a list response, and its name. */
export function itemsOf(data: object): { key: string; items: unknown[] } {
  const [key, items] = Object.entries(data).find(([, value]) => Array.isArray(value)) ?? ["items", []];
  return { key, items: items as unknown[] };
}

/** Following a cursor that came before would list the same pages for ever. */
export const endless = () =>
  new NetworkError(
    "The server returned a page of this list twice. The list is incomplete.",
    true,
    undefined,
    "Report it to its operator.",
  );

/** The pages of a list, fetched on demand; stops at `limit` items, at the last page, or after one page. */
export async function* pages<O extends Operation>(
  client: Pick<ClientCore, "call">,
  operation: O,
  input: Input<O>,
  range: Range,
): AsyncGenerator<Page<Items<Data<O>>, Data<O>>> {
  let cursor = range.cursor;
  const seen = new Set(range.cursor === undefined ? [] : [range.cursor]);
  let left = range.limit ?? Number.POSITIVE_INFINITY;
  do {
    const size = range.all ? maxPageSize : range.limit === undefined ? undefined : Math.min(left, maxPageSize);
    const query = { ...(input as { query?: object }).query, limit: size, cursor };
    const reply = await client.call(operation, { ...(input as object), query } as unknown as Input<O>);
    const { key, items } = itemsOf(reply.data as object);
    const taken = items.slice(0, left) as Items<Data<O>>[];
    left -= taken.length;
    yield { key, items: taken, data: reply.data, meta: reply.meta };
    // Of another type, neither says that there is more.
    cursor = reply.meta.hasMore === true && typeof reply.meta.cursor === "string" ? reply.meta.cursor : undefined;
    if (cursor !== undefined && seen.has(cursor)) throw endless();
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined && left > 0 && (range.all || range.limit !== undefined));
}
