import * as budgets from "../accounts/budgets/store.ts";
import type { Deps } from "../app/deps.ts";
import type { Job } from "../jobs/job.ts";
import * as store from "./store.ts";
import { endConnection } from "./tokens.ts";

/** Removes a connection whose program did not use its code in time: it would stand among the owner's keys as one that has expired. */
export const removeConnection = (job: Job, deps: Deps) =>
  deps.store.write(async (tx) => {
    const request = await store.findRequest(tx, String(job.payload.requestId));
    if (request?.user_id && request.key_id && request.used_at === null) {
      await endConnection(tx, request.key_id, null);
      await budgets.removeOfKey(tx, request.key_id, tx.now);
    }
    await job.done(tx);
  });
