import type { Meta } from "../../../src/contract/index.ts";

/** All items of a list, page after page. Fails as `page` does. */
export async function everyItem<T>(
  page: (cursor: string | undefined) => Promise<{ items: readonly T[]; meta: Meta }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const { items, meta } = await page(cursor);
    all.push(...items);
    cursor = meta.cursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
