import * as z from "zod";
import { audited, endpoint } from "../endpoint.ts";
import { id, pageQuery, timestamp } from "../fields.ts";

const own = { access: ["admin"], extension: true } as const;

export const failedJob = z
  .strictObject({
    id: id(),
    kind: z.string(),
    purpose: z.string().meta({ description: "What it does, as a phrase such as `cut a clip`." }),
    about: z.record(z.string(), z.string()).meta({ description: "What it was for: ids by name, such as `slotId`." }),
    error: z.string().nullable().meta({ description: "Why its last try failed." }),
    tries: z.int(),
    createdAt: timestamp(),
    triedAt: timestamp().meta({ description: "When its last try was due." }),
  })
  .meta({ id: "FailedJob" });

export const jobs = {
  listFailedJobs: endpoint("GET /admin/jobs/failed", {
    ...own,
    summary: "List the background jobs that failed for good",
    query: pageQuery(),
    list: true,
    reply: z.strictObject({ jobs: z.array(failedJob) }),
  }),
  retryJob: endpoint("POST /admin/jobs/:id/retry", {
    ...own,
    ...audited("job.retry"),
    summary: "Retry a background job that failed for good",
    reply: z.strictObject({ job: z.strictObject({ id: id(), kind: z.string() }) }),
  }),
};
