import type { Deps } from "../app/deps.ts";
import type { Tx } from "../app/tx.ts";
import { conflict, notConfigured } from "../lib/api-error.ts";
import { requireFreeSpace } from "../uploads/room.ts";
import * as clips from "./clips/store.ts";

/** 503 on a server without ffmpeg. */
export function requireCutter({ cutter }: Pick<Deps, "cutter">): void {
  if (cutter) return;
  throw notConfigured(
    'This server cannot cut clips and still images. Nothing was made. Its operator can install ffmpeg and set `clips.ffmpeg` to ["ffmpeg"] in its configuration.',
  );
}

/** Before the transaction: 503 when the disk is nearly full. */
export const requireDisk = (deps: Deps) => requireFreeSpace(deps, deps.config.clips.maxBytes);

/**
 * 409 when as many clips and images of the account are pending as may be. Posters do not count: there is one for each video and clip, and
 * nobody asked for it.
 */
export async function requireTurn(tx: Tx, ownerId: string): Promise<void> {
  const { maxPendingPerAccount: most } = tx.config.clips;
  if ((await clips.countPending(tx, ownerId)) < most) return;
  throw conflict(
    `${most} clips and images of this account are waiting to be cut, which is the most that this server allows. Nothing was made. Try again when some are ready.`,
  );
}
