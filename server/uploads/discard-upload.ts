import { rm } from "node:fs/promises";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { type Job, RetryLater } from "../jobs/job.ts";
import { statusAt } from "../playtests/slots/rules.ts";
import * as slots from "../playtests/slots/store.ts";
import * as playtests from "../playtests/store.ts";
import * as uploads from "./store.ts";
import * as writers from "./writers/store.ts";

const day = 86_400_000;

/** Removes the file of an upload that expired, was replaced, or whose slot ended without a submission of it. Safe to repeat. */
export async function discardUpload(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.uploadId);
  const now = deps.clock.now();
  const decision = await deps.store.write((tx) => decide(tx, id, now));
  if (typeof decision === "number") throw new RetryLater(decision, "the upload is still in use");
  if (decision === "keep") return;
  for (const path of uploads.pathsOf(deps.dataDir, id, decision.generation))
    for (const file of [path, `${path}.part`]) await rm(file, { force: true });
  await deps.blobs.remote?.unfinished.remove(id);
  await deps.blobs.remove(uploads.blobKeyOf(decision.upload));
}

interface Discarded {
  upload: uploads.UploadRow;
  generation: number;
}

/** The upload to remove, `keep`, or the time (ms) at which to decide again. */
async function decide(tx: Query, id: string, now: number): Promise<Discarded | "keep" | number> {
  const upload = await uploads.find(tx, id);
  if (!upload || (upload.status === "completed" && upload.kind === "build")) return "keep";
  if (upload.status === "open" && upload.expires_at > now) return upload.expires_at;
  if (upload.status === "completed") {
    playtests.lockOfSlot(tx, upload.slot_id!);
    if ((await uploads.submittedFile(tx, upload.slot_id!))?.blob_key === uploads.blobKeyOf(upload)) return "keep";
    if (await canStillSubmit(tx, upload.slot_id!, now)) return now + day;
  }
  if (uploads.isIn(upload, "open", "completed")) await uploads.tryTransition(tx, upload, "expire");
  return { upload, generation: await writers.revoke(tx, id) };
}

async function canStillSubmit(tx: Query, slotId: string, now: number): Promise<boolean> {
  const slot = await slots.findDetail(tx, slotId);
  return slot !== undefined && ["reserved", "blocked"].includes(statusAt(slot, now));
}
