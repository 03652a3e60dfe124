import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../app/deps.ts";
import { withRoom } from "../jobs/copying.ts";
import { type Job, RetryLater } from "../jobs/job.ts";
import { ProgramFailed } from "../lib/program.ts";
import { fileIdOf } from "../lib/row-file.ts";
import * as slots from "../playtests/slots/store.ts";
import { queueIndexing } from "../search/queue.ts";
import { InvalidTranscript, readTranscript, type Transcript } from "./rules.ts";
import * as store from "./store.ts";

const extensions: Record<string, string> = { "video/webm": "webm", "video/quicktime": "mov", "video/x-matroska": "mkv" };

/**
 * Transcribes the video of a submission. When the program fails or prints no transcript, or the file of the video is missing, only this
 * transcription fails. When the last try fails for any other reason, it fails with the job, which an operator can run again. When the server
 * stops meanwhile, the next one starts it again.
 */
export async function transcribe(job: Job, deps: Deps): Promise<void> {
  const slotId = String(job.payload.slotId);
  const row = await deps.store.read((q) => store.findForSlot(q, slotId));
  if (!row || row.status === "approved") return;
  if (!deps.transcriber) return fail(deps, row, "no transcriber is configured anymore", job.done);
  await deps.store.write((tx) => store.transitionFromAny(tx, row, "begin", { updated_at: tx.now }));
  // One folder per attempt: a process that lost the lease may still be writing to an earlier one.
  const folderOf = (attempt: number) => join(deps.dataDir, "transcribing", `${fileIdOf(row.id)}.${attempt}`);
  const folder = folderOf(job.attempts);
  try {
    const transcript = await run(deps, slotId, folder);
    await storeTranscript(deps, job, row, transcript, join(folder, "transcript.vtt"));
  } catch (error) {
    if (deps.draining.aborted) throw new RetryLater(deps.clock.now(), "the server was stopped during the transcription");
    if (!(error instanceof ProgramFailed || error instanceof InvalidTranscript)) {
      if (job.isLast) await fail(deps, row, String(error));
      throw error;
    }
    deps.log.warn({ err: error, slot: slotId }, "could not transcribe a video");
    await fail(deps, row, error.message, job.done);
  } finally {
    // A process that died during an earlier attempt left its folder.
    for (let attempt = job.attempts; attempt > 0; attempt--) await rm(folderOf(attempt), { recursive: true, force: true });
  }
}

/** Runs the transcriber on the video under a generated name, so that the playtester's file name never reaches it. */
async function run(deps: Deps, slotId: string, folder: string): Promise<Transcript> {
  const video = (await deps.store.read((q) => slots.submissionOf(q, slotId)))!;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `video.${extensions[video.content_type] ?? "mp4"}`);
  if (!(await deps.blobs.lend(video.blob_key, path, withRoom(deps)))) throw new ProgramFailed("the file of the video is missing");
  return readTranscript(await deps.transcriber!.transcribe(path, deps.draining));
}

async function storeTranscript(
  deps: Deps,
  job: Job,
  row: store.TranscriptionRow,
  transcript: Transcript,
  path: string,
): Promise<void> {
  const key = `transcripts/${deps.newId()}`;
  await writeFile(path, transcript.vtt, { mode: 0o600 });
  await deps.blobs.put(key, path);
  await deps.store.write(async (tx) => {
    await store.transitionFromAny(tx, row, "approve", {
      selected_version: "original",
      original_key: key,
      key_takeaways: JSON.stringify(transcript.keyTakeaways),
      error: null,
      updated_at: tx.now,
    });
    await queueIndexing(tx, { what: "transcript", slotId: row.slot_id });
    await job.done(tx);
  });
}

/** `done` ends the job, in the same transaction. */
const fail = (deps: Deps, row: store.TranscriptionRow, error: string, done?: Job["done"]) =>
  deps.store.write(async (tx) => {
    const text = error.replaceAll("\0", "").slice(0, 1000);
    await store.transitionFromAny(tx, row, "fail", { error: text, updated_at: tx.now });
    await done?.(tx);
  });
