import { contentKey } from "../hash/content-key.ts";
import type { CheckedOrder } from "../order-check.ts";

/** The idempotency keys of the rows of a file: the same row has the same key, whoever sends it and from where. */

const start = "bulk-";

/** Whether a key was made from the content or the ref of a row. */
export const isRowKey = (key: string): boolean => key.startsWith(start);

/**
 * Derives a key of each row from its content, its number among equal rows, and the batch. The file name, the order of the rows and `ref`
 * do not matter.
 */
export function keyed(batch: string): (game: string, order: CheckedOrder) => string {
  const counts = new Map<string, number>();
  return (game, order) => {
    const content = contentKey({ game, order, batch });
    const count = (counts.get(content) ?? 0) + 1;
    counts.set(content, count);
    return `${start}${content}-${count}`;
  };
}

/** Of an order that takes the place of the cancelled one of that ref, `after` is the cancelled one's id. */
export const keyOfRef = (orderRef: string, after?: string) => `${start}ref-${contentKey({ ref: orderRef, after })}`;
