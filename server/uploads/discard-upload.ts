import { rm } from "node:fs/promises";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { type Job, TryAgain } from "../jobs/job.ts";
import { statusAt } from "../playtests/slots/rules.ts";
import * as slots from "../playtests/slots/store.ts";
import { uploadPath } from "./files.ts";
import * as uploads from "./store.ts";

const day = 86_400_000;

/** Removes what an upload left behind that expired, was replaced, or whose slot ended without it. Repeatable. */
export async function discardUpload(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.uploadId);
  const now = deps.clock.now();
  const verdict = await deps.store.write((tx) => decide(tx, id, now));
  if (typeof verdict === "number") throw new TryAgain(verdict, "still in use");
  if (verdict === "keep") return;
  await rm(uploadPath(deps.dataDir, id), { force: true });
  await deps.blobs.remove(uploads.blobKeyOf(verdict));
}

/** The upload to remove, `keep` for good, or when to look again (ms). */
async function decide(tx: Query, id: string, now: number): Promise<uploads.UploadRow | "keep" | number> {
  const upload = await uploads.find(tx, id);
  if (!upload || (upload.status === "completed" && upload.kind === "build")) return "keep";
  if (upload.status === "open" && upload.expires_at > now) return upload.expires_at;
  if (upload.status === "completed") {
    if ((await uploads.submittedFile(tx, upload.slot_id!))?.blob_key === uploads.blobKeyOf(upload)) return "keep";
    if (await canStillSubmit(tx, upload.slot_id!, now)) return now + day;
  }
  if (uploads.isIn(upload, "open", "completed")) await uploads.tryTransition(tx, upload, "expire");
  return upload;
}

async function canStillSubmit(tx: Query, slotId: string, now: number): Promise<boolean> {
  const slot = await slots.findDetail(tx, slotId);
  return slot !== undefined && ["reserved", "blocked"].includes(statusAt(slot, now));
}
