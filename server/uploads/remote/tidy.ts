import type { Remote } from "../blobs.ts";
import type { Bucket } from "../s3/bucket.ts";
import { unfinishedKind } from "./unfinished.ts";

/** Removes parts of uploads that no row names, and ends uploads in parts that were never completed. */
export async function tidy(bucket: Bucket, before: number, isOpen: Parameters<Remote["tidy"]>[1]): Promise<number> {
  let removed = await bucket.endUnfinished(before);
  const old = new Map<string, string[]>();
  for await (const { key, writtenAt } of bucket.list([`${unfinishedKind}/`])) {
    const id = key.split("/")[1]!;
    if (writtenAt <= before) old.set(id, [...(old.get(id) ?? []), key]);
  }
  const open = await isOpen([...old.keys()]);
  for (const [id, keys] of old)
    for (const key of open.has(id) ? [] : keys) {
      await bucket.remove(key);
      removed += 1;
    }
  return removed;
}
