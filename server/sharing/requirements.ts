import type { Deps } from "../app/deps.ts";
import { notConfigured } from "../lib/problem.ts";
import { requireFreeSpace } from "../uploads/room.ts";

/** 503 on a server without ffmpeg. */
export function requireCutter({ cutter }: Pick<Deps, "cutter">): void {
  if (cutter) return;
  throw notConfigured(
    'This server cannot cut clips and still images. Nothing was made. Its operator can install ffmpeg and set `clips.ffmpeg` to ["ffmpeg"] in its configuration.',
  );
}

/** Before the transaction: 503 when the disk is nearly full. */
export const requireDisk = (deps: Deps) => requireFreeSpace(deps, deps.config.clips.maxBytes);
