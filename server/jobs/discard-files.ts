import type { Tx } from "../app/tx.ts";

/** Files whose rows are removed: keys of the blob store, and ids of unfinished uploads and of emails that were written to files. */
export interface Discarded {
  blobs: readonly string[];
  uploads: readonly string[];
  mails: readonly string[];
}

/** Files of one job. */
const most = 500;

/** Schedules the removal of files, for after the commit of the transaction that removes their rows. */
export async function scheduleDiscardFiles(tx: Tx, { blobs = [], uploads = [], mails = [] }: Partial<Discarded>): Promise<void> {
  const discarded: Discarded = { blobs, uploads, mails };
  const kinds = Object.keys(discarded) as (keyof Discarded)[];
  const all = kinds.flatMap((kind) => discarded[kind].map((name) => ({ kind, name })));
  for (let from = 0; from < all.length; from += most) {
    const some = all.slice(from, from + most);
    const payload = Object.fromEntries(
      kinds.map((kind) => [kind, some.filter((file) => file.kind === kind).map(({ name }) => name)]),
    );
    await tx.scheduleNew([{ kind: "discard-files", key: tx.newId(), payload, runAt: tx.now }]);
  }
}
