import { createWriteStream } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Deps } from "../app/deps.ts";
import { type Job, TryAgain } from "../jobs/job.ts";
import * as slots from "../playtests/slots/store.ts";
import { NoTranscript, readTranscript, type Transcript } from "./rules.ts";
import * as store from "./store.ts";
import { TranscriptionFailed } from "./transcriber.ts";

const extensions: Record<string, string> = { "video/webm": "webm", "video/quicktime": "mov", "video/x-matroska": "mkv" };

/**
 * Has the video of a submission transcribed. A command that fails or prints no transcript fails this transcription and
 * nothing else; a server that stops meanwhile leaves it to the next one.
 */
export async function transcribe(job: Job, deps: Deps): Promise<void> {
  const slotId = String(job.payload.slotId);
  const row = await deps.store.read((q) => store.findForSlot(q, slotId));
  if (!row || row.status === "approved" || row.status === "failed") return;
  if (!deps.transcriber) return fail(deps, job, row, "no transcriber is configured any more");
  await deps.store.write((tx) => store.transitionFromAny(tx, row, "begin", { updated_at: deps.clock.now() }));
  // Apart from what a process that lost the lease may still do.
  const folderOf = (attempt: number) => join(deps.dataDir, "transcribing", `${row.id}.${attempt}`);
  const folder = folderOf(job.attempts);
  try {
    const transcript = await run(deps, slotId, folder);
    await keep(deps, job, row, transcript, join(folder, "transcript.vtt"));
  } catch (error) {
    if (deps.draining.aborted) throw new TryAgain(deps.clock.now(), "the server stopped meanwhile");
    if (!(error instanceof TranscriptionFailed || error instanceof NoTranscript)) throw error;
    deps.log.warn({ err: error, slot: slotId }, "a video could not be transcribed");
    await fail(deps, job, row, error.message);
  } finally {
    // One that died at it left its folder.
    for (let attempt = job.attempts; attempt > 0; attempt--) await rm(folderOf(attempt), { recursive: true, force: true });
  }
}

/** The command sees a copy with a plain name: what the playtester called the file never reaches it. */
async function run(deps: Deps, slotId: string, folder: string): Promise<Transcript> {
  const video = (await deps.store.read((q) => slots.submissionOf(q, slotId)))!;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const path = join(folder, `video.${extensions[video.content_type] ?? "mp4"}`);
  await pipeline(await deps.blobs.read(video.blob_key), createWriteStream(path), { signal: deps.draining });
  return readTranscript(await deps.transcriber!.transcribe(path, deps.draining));
}

async function keep(deps: Deps, job: Job, row: store.TranscriptionRow, transcript: Transcript, path: string): Promise<void> {
  const key = `transcripts/${deps.newId()}`;
  await writeFile(path, transcript.vtt);
  await deps.blobs.put(key, path);
  await deps.store.write(async (tx) => {
    await store.transitionFromAny(tx, row, "approve", {
      selected_version: "original",
      original_key: key,
      key_takeaways: JSON.stringify(transcript.keyTakeaways),
      error: null,
      updated_at: deps.clock.now(),
    });
    await job.done(tx);
  });
}

const fail = (deps: Deps, job: Job, row: store.TranscriptionRow, error: string) =>
  deps.store.write(async (tx) => {
    const text = error.replaceAll("\0", "").slice(0, 1000);
    await store.transitionFromAny(tx, row, "fail", { error: text, updated_at: deps.clock.now() });
    await job.done(tx);
  });
