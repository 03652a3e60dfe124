import { createWriteStream } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Deps } from "../../app/deps.ts";
import { type Job, RetryLater } from "../../jobs/job.ts";
import { ProgramFailed } from "../../lib/program.ts";
import * as slots from "../../playtests/slots/store.ts";
import * as store from "./store.ts";

/**
 * Cuts a clip. When the program fails, only this clip fails. When the server stops meanwhile, the next one starts it again. A clip that
 * was deleted meanwhile leaves no file.
 */
export async function cutClip(job: Job, deps: Deps): Promise<void> {
  const row = await deps.store.read((q) => store.find(q, String(job.payload.clipId)));
  if (row?.status !== "pending") return;
  if (!deps.cutter) return fail(deps, job, row, "no ffmpeg is configured anymore");
  const folderOf = (attempt: number) => join(deps.dataDir, "clipping", `${row.id}.${attempt}`);
  const folder = folderOf(job.attempts);
  try {
    const path = await cut(deps, row, folder);
    const size = await sizeOf(path);
    if (size === 0 || size > deps.config.clips.maxBytes) throw new ProgramFailed(`the clip has ${size} bytes`);
    await deps.blobs.put(store.blobKeyOf(row), path);
    const kept = await deps.store.write(async (tx) => {
      await job.done(tx);
      return store.transitionFromAny(tx, row, "finish", { size, updated_at: deps.clock.now() });
    });
    if (!kept) await deps.blobs.remove(store.blobKeyOf(row));
  } catch (error) {
    if (deps.draining.aborted) throw new RetryLater(deps.clock.now(), "the server was stopped while it cut a clip");
    if (!(error instanceof ProgramFailed)) throw error;
    deps.log.warn({ err: error, clip: row.id }, "could not cut a clip");
    await fail(deps, job, row, error.message);
  } finally {
    // A process that died during an earlier attempt left its folder.
    for (let attempt = job.attempts; attempt > 0; attempt--) await rm(folderOf(attempt), { recursive: true, force: true });
  }
}

/** The size of the file that the program wrote; 0 if it wrote none. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

/** Cuts a copy with a generated name, so that the playtester's file name never reaches the program. */
async function cut(deps: Deps, row: store.ClipRow, folder: string): Promise<string> {
  const video = (await deps.store.read((q) => slots.submissionOf(q, row.slot_id)))!;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "video");
  const to = join(folder, "clip.mp4");
  await pipeline(await deps.blobs.read(video.blob_key), createWriteStream(path, { mode: 0o600 }), { signal: deps.draining });
  await deps.cutter!.clip({ path, contentType: video.content_type }, { atMs: row.at_ms, endMs: row.end_ms }, to, deps.draining);
  return to;
}

const fail = (deps: Deps, job: Job, row: store.ClipRow, error: string) =>
  deps.store.write(async (tx) => {
    const text = error.replaceAll("\0", "").slice(0, 1000);
    await store.transitionFromAny(tx, row, "fail", { size: 0, error: text, updated_at: deps.clock.now() });
    await job.done(tx);
  });

/** Removes the file of a clip that was deleted. */
export async function discardClip(job: Job, deps: Deps): Promise<void> {
  const id = String(job.payload.clipId);
  if (!(await deps.store.read((q) => store.find(q, id)))) await deps.blobs.remove(store.blobKeyOf({ id }));
}
