import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CutLimit } from "../../src/contract/states/index.ts";
import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import { type Job, RetryLater } from "../jobs/job.ts";
import { fileIdOf } from "../lib/row-file.ts";
import * as slots from "../playtests/slots/store.ts";
import type { Lent } from "../uploads/blobs.ts";
import { CutFailed, type Cutter, type Source } from "./cutter.ts";

/** Why nothing was cut: for the operator, and the limit for the owner. */
interface Failure {
  error: string;
  limited_by: CutLimit | null;
}

/** Where something is cut. */
export interface Workplace {
  /** The video of a slot, which stays until the next one is asked for. */
  video(slotId: string): Promise<Source>;
  /** A folder for what is needed meanwhile. */
  folder: string;
}

/** What is cut out of the videos of slots, in one file or several. */
export interface Cutting {
  id: string;
  /** The keys of the files that are cut. */
  blobKeys: readonly string[];
  /** The most that the files have together. */
  maxBytes: number;
  /** Writes the files to `to`, one for each key. */
  cut(cutter: Cutter, at: Workplace, to: readonly string[]): Promise<void>;
  /** Stores that it is finished, with the size of each file in bytes. False when it was deleted meanwhile. */
  finish(tx: Tx, sizes: readonly number[]): Promise<unknown>;
  /** Stores why it failed. */
  fail(tx: Tx, why: Failure): Promise<unknown>;
  /** Ends this run of the job. */
  end(tx: Tx): Promise<void>;
}

/**
 * Cuts files out of a video and stores them. When the program fails, only these fail. When the last try fails for any other reason, they fail
 * with the job, which an operator can run again. When the server stops meanwhile, the next one starts it again. What was deleted meanwhile
 * leaves no file.
 */
export async function cutOut(job: Job, deps: Deps, cutting: Cutting): Promise<void> {
  const { cutter } = deps;
  const fail = ({ message, limit }: CutFailed, end?: Cutting["end"]) =>
    deps.store.write(async (tx) => {
      await cutting.fail(tx, { error: message.replaceAll("\0", "").slice(0, 1000), limited_by: limit });
      await end?.(tx);
    });
  if (!cutter) return fail(new CutFailed("no ffmpeg is configured anymore", null), cutting.end);
  const folderOf = (attempt: number) => join(deps.dataDir, "clipping", `${fileIdOf(cutting.id)}.${attempt}`);
  try {
    const paths = await cutFiles(deps, cutter, cutting, folderOf(job.attempts));
    const sizes = await Promise.all(paths.map(sizeOf));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (sizes.includes(0) || total > cutting.maxBytes)
      throw new CutFailed(`the file has ${sizes.join(" and ")} bytes`, total > cutting.maxBytes ? "size" : null);
    for (const [index, key] of cutting.blobKeys.entries()) {
      // From an attempt whose process died before it recorded the file.
      await deps.blobs.remove(key);
      await deps.blobs.put(key, paths[index]!);
    }
    const kept = await deps.store.write(async (tx) => {
      await cutting.end(tx);
      return cutting.finish(tx, sizes);
    });
    if (!kept) for (const key of cutting.blobKeys) await deps.blobs.remove(key);
  } catch (error) {
    if (deps.draining.aborted)
      throw new RetryLater(deps.clock.now(), "the server was stopped while it cut a file out of a video");
    if (!(error instanceof CutFailed)) {
      if (job.isLast) await fail(new CutFailed(String(error), null));
      throw error;
    }
    deps.log.warn({ err: error, blobKey: cutting.blobKeys[0] }, "could not cut a file out of a video");
    await fail(error, cutting.end);
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
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const to = cutting.blobKeys.map((_, index) => join(folder, `cut-${index}`));
  const loans: Lent[] = [];
  const video = (slotId: string) => lendVideo(deps, slotId, join(folder, "video"), loans);
  try {
    await cutting.cut(cutter, { folder, video }, to);
  } finally {
    for (const loan of loans) await loan.close();
  }
  return to;
}

async function lendVideo(deps: Deps, slotId: string, path: string, loans: Lent[]): Promise<Source> {
  const video = await deps.store.read((q) => slots.submissionOf(q, slotId));
  if (!video) throw new CutFailed("the slot has no video any more", null);
  await rm(path, { force: true });
  const lent = await deps.blobs.offer(video.blob_key, path);
  if (!lent) throw new CutFailed("the file of the video is missing", null);
  loans.push(lent);
  return { path: lent.source, protocols: lent.protocols, contentType: video.content_type, lengthMs: video.video_duration_ms };
}
