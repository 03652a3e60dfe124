import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";

/** What a job indexes again: all texts of a slot, its transcript with the key takeaways, or one of its moments. */
export type Indexed = { what: "slot" | "transcript"; slotId: string } | { what: "moment"; slotId: string; momentId: string };

/** Queues the indexing of texts that this transaction changes. Each change has a job of its own: one at work may have read the text before. */
export const queueIndexing = (deps: Deps, tx: Query, indexed: Indexed): Promise<void> =>
  deps.jobs.scheduleNew(tx, [{ kind: "index-text", key: deps.newId(), payload: { ...indexed }, runAt: deps.clock.now() }]);

/** Indexes the texts of a submission. */
export const queueSubmission = (deps: Deps, tx: Query, slotId: string): Promise<void> =>
  queueIndexing(deps, tx, { what: "slot", slotId });

/** Queues the indexing of everything that is not indexed yet, such as what was there before this server had a search. */
export const startFilling = (deps: Deps): Promise<void> =>
  deps.store.write((tx) => deps.jobs.schedule(tx, { kind: "fill-search", key: "all", payload: {}, runAt: deps.clock.now() }));
