import type { Deps } from "../app/deps.ts";
import { freeBytes } from "../lib/free-space.ts";
import { RetryLater } from "./job.ts";

const againMs = 5 * 60_000;

/**
 * For a job that borrows a stored file: where that takes a copy, and the copy would leave the disk less than the server needs for the rest,
 * nothing is copied and the job runs again later.
 */
export const withRoom = ({ config, dataDir, clock, draining, log }: Deps) => ({
  signal: draining,
  async beforeCopy(bytes: number) {
    const free = await freeBytes(dataDir);
    if (free - bytes >= config.uploads.minFreeBytes) return;
    log.warn({ freeBytes: free, fileBytes: bytes }, "a video was not copied: the disk of the data folder is nearly full");
    throw new RetryLater(clock.now() + againMs, "too little free disk space for a copy of the video");
  },
});
