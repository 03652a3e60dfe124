import { buffer } from "node:stream/consumers";
import type { Budget, Outcome, PublicVideo } from "./publisher.ts";

/** The end of a resumable upload: the video that it made, or why there is none. */
export type Ended = { videoId: string } | { outcome: Outcome };
/** How many bytes a platform has by now, or how the upload ended. */
export type Taken = { offset: number } | Ended;

/** A multiple of 256 KiB, as platforms want all parts but the last. */
const partBytes = 8 * 1024 * 1024;

/**
 * Asks what a platform has of a video, and sends what is missing, as far as the budget goes. `put` sends a part with its `Content-Range`,
 * or only asks.
 */
export async function sendMissing(
  video: Pick<PublicVideo, "size" | "read">,
  budget: Budget,
  put: (range: string, body?: Buffer) => Promise<Taken>,
): Promise<Taken> {
  const had = await put(`bytes */${video.size}`);
  if (!("offset" in had)) return had;
  let { offset } = had;
  for (const end = Math.min(video.size, offset + budget.bytes); offset < end && !budget.signal.aborted; ) {
    const last = Math.min(end, offset + partBytes) - 1;
    const body = await buffer(await video.read(offset, last));
    const taken = await put(`bytes ${offset}-${last}/${video.size}`, body);
    if (!("offset" in taken)) return taken;
    if (taken.offset <= offset) return { outcome: { is: "failed", reason: "The platform took nothing of what was sent." } };
    offset = taken.offset;
  }
  return { offset };
}

/** How many bytes a `Range` header such as `bytes=0-42` counts. Without one there are none; some say `bytes=0--1` for that. */
export const offsetOf = (range: string | undefined): number => {
  const last = /^bytes=0-(\d+)$/.exec(range ?? "")?.[1];
  return last === undefined ? 0 : Number(last) + 1;
};
