import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "../app/deps.ts";
import type { Query } from "../database/port.ts";
import { type Job, RetryLater } from "../jobs/job.ts";
import { ProgramFailed } from "../lib/program.ts";
import { fileIdOf } from "../lib/row-file.ts";
import * as slots from "../playtests/slots/store.ts";
import { isMissing } from "../uploads/local-blobs.ts";
import type { Cutter, Source } from "./cutter.ts";

/** What is cut out of the video of a slot, in one file or several. */
export interface Cutting {
  id: string;
  slotId: string;
  /** The keys of the files that are cut. */
  blobKeys: readonly string[];
  /** The most that the files have together. */
  maxBytes: number;
  /** Writes the files to `to`, one for each key. */
  cut(cutter: Cutter, from: Source, to: readonly string[]): Promise<void>;
  /** Stores that it is finished, with the size of each file in bytes. False when it was deleted meanwhile. */
  finish(tx: Query, sizes: readonly number[]): Promise<unknown>;
  /** Stores why it failed. */
  fail(tx: Query, error: string): Promise<unknown>;
  /** Ends this run of the job. */
  end(tx: Query): Promise<void>;
}

/**
 * Cuts files out of a video and stores them. When the program fails, only these fail. When the server stops meanwhile, the next one
 * starts it again. What was deleted meanwhile leaves no file.
 */
export async function cutOut(job: Job, deps: Deps, cutting: Cutting): Promise<void> {
  const { cutter } = deps;
  const fail = (error: string) =>
    deps.store.write(async (tx) => {
      await cutting.fail(tx, error.replaceAll("\0", "").slice(0, 1000));
      await cutting.end(tx);
    });
  if (!cutter) return fail("no ffmpeg is configured anymore");
  const folderOf = (attempt: number) => join(deps.dataDir, "clipping", `${fileIdOf(cutting.id)}.${attempt}`);
  try {
    const paths = await cutFiles(deps, cutter, cutting, folderOf(job.attempts));
    const sizes = await Promise.all(paths.map(sizeOf));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (sizes.includes(0) || total > cutting.maxBytes) throw new ProgramFailed(`the file has ${sizes.join(" and ")} bytes`);
    for (const [index, key] of cutting.blobKeys.entries()) await deps.blobs.put(key, paths[index]!);
    const kept = await deps.store.write(async (tx) => {
      await cutting.end(tx);
      return cutting.finish(tx, sizes);
    });
    if (!kept) for (const key of cutting.blobKeys) await deps.blobs.remove(key);
  } catch (error) {
    if (deps.draining.aborted)
      throw new RetryLater(deps.clock.now(), "the server was stopped while it cut a file out of a video");
    if (!(error instanceof ProgramFailed)) throw error;
    deps.log.warn({ err: error, blobKey: cutting.blobKeys[0] }, "could not cut a file out of a video");
    await fail(error.message);
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

/** Gives the video a generated name, so that the playtester's file name never reaches the program. */
async function cutFiles(deps: Deps, cutter: Cutter, cutting: Cutting, folder: string): Promise<string[]> {
  const video = await deps.store.read((q) => slots.submissionOf(q, cutting.slotId));
  if (!video) throw new ProgramFailed("the slot has no video any more");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "video");
  const to = cutting.blobKeys.map((_, index) => join(folder, `cut-${index}`));
  await deps.blobs.lend(video.blob_key, path).catch((cause: unknown) => {
    throw isMissing(cause) ? new ProgramFailed("the file of the video is missing", { cause }) : cause;
  });
  await cutting.cut(cutter, { path, contentType: video.content_type, lengthMs: video.video_duration_ms }, to);
  return to;
}
