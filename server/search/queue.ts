import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import type * as store from "./store.ts";

/**
 * What a job indexes again: all texts of a slot, its transcript with the key takeaways, one of its moments, a finding, the name of a game or
 * playtest, or that of a playtester for all owners.
 */
export type Indexed =
  | { what: "slot" | "transcript"; slotId: string }
  | { what: "moment"; slotId: string; momentId: string }
  | { what: store.OwnSource; id: string }
  | { what: "playtester"; userId: string };

/** Queues the indexing of texts that this transaction changes. Each change has a job of its own: one at work may have read the text before. */
export const queueIndexing = (tx: Tx, indexed: Indexed): Promise<void> =>
  tx.scheduleNew([{ kind: "index-text", key: tx.newId(), payload: { ...indexed }, runAt: tx.now }]);

/** Indexes the texts of a submission. */
export const queueSubmission = (tx: Tx, slotId: string): Promise<void> => queueIndexing(tx, { what: "slot", slotId });

/** Queues the indexing of everything that is not indexed yet, such as what was there before this server had a search. */
export const startFilling = (deps: Deps): Promise<void> =>
  deps.store.write((tx) => tx.schedule({ kind: "fill-search", key: "all", payload: {}, runAt: tx.now }));
