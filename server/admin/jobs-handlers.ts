import type { Handlers } from "../http/call.ts";
import { purposeOf } from "../jobs/purposes.ts";
import * as jobs from "../jobs/store.ts";
import { conflict, notFound } from "../lib/api-error.ts";
import { iso } from "../lib/time.ts";

const jobView = (row: jobs.DeadJobRow) => ({
  id: row.id,
  kind: row.kind,
  purpose: purposeOf(row.kind),
  about: aboutOf(row),
  error: row.last_error,
  tries: row.attempts,
  createdAt: iso(row.created_at),
  triedAt: iso(row.run_at),
});

/** The ids and names in its payload. */
const aboutOf = ({ payload }: jobs.DeadJobRow): Record<string, string> =>
  Object.fromEntries(
    Object.entries(JSON.parse(payload) as Record<string, unknown>).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].length <= 100,
    ),
  );

/** Background jobs that failed for good. */
export const failedJobHandlers = {
  async listFailedJobs(call) {
    const page = call.page();
    const rows = await call.read((q) => jobs.listDead(q, page));
    return call.listed(page, rows, (items) => ({ jobs: items.map(jobView) }));
  },

  retryJob: (call) =>
    call.commit(async (tx) => {
      const job = await jobs.findById(tx, call.params.id);
      if (!job) throw notFound();
      if (job.state !== "dead")
        throw conflict("The job has not failed for good: it is retried automatically. Nothing was changed.");
      await jobs.requeue(tx, job.id, tx.now);
      return { job: { id: job.id, kind: job.kind } };
    }),
} satisfies Partial<Handlers>;
